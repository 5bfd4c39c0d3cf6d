/** The capabilities of this installation by id, as far as the catalog must know them. */
export type Known = Pick<ReadonlyMap<string, { readonly rootOnly: boolean }>, "get" | "has" | "keys">;

/** For reading what agents and commands there are, whatever capabilities are installed. */
export const ANY_CAPABILITY: Known = {
  get: () => ({ rootOnly: false }),
  has: () => true,
  keys: () => [][Symbol.iterator](),
};
