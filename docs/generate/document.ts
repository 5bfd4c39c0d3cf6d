/** A document in the repository that is made from the code, so that it cannot fall behind it. */
export interface GeneratedDocument {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  /** The whole file as it must stand, ending in a line break. */
  render(): Promise<string>;
}
