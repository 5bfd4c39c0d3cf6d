/**
 * Something in a person's words that has a value of its own. `start` and `end` are offsets into the words (UTF-16),
 * `text` is what stands there.
 */
export type Entity = { readonly start: number; readonly end: number; readonly text: string } & EntityValue;

type EntityValue =
  /** A web address; a bare host with a path is given its scheme. */
  | { readonly kind: "url"; readonly value: string }
  /** A host name or an IP address, without brackets. */
  | { readonly kind: "host"; readonly value: string }
  /** A TCP port; `attached` when it stands right behind its host, as in `example.com:443`. */
  | { readonly kind: "port"; readonly value: number; readonly attached: boolean }
  | { readonly kind: "email"; readonly value: string }
  /** A number, with its unit where one stands behind it ("90 %" is 90, "%"). */
  | { readonly kind: "number"; readonly value: number; readonly unit: string | undefined }
  /** A length of time in ms; `isEach` when it is said to be a distance: "every 5 min", "hourly". */
  | { readonly kind: "duration"; readonly value: number; readonly isEach: boolean }
  /** A moment, ISO 8601 with offset. */
  | { readonly kind: "when"; readonly value: string }
  /** What stands between quotation marks. */
  | { readonly kind: "quoted"; readonly value: string };

/** Remembers which stretches of a text are already understood, so that nothing is read twice. */
export interface Claims {
  isFree(start: number, end: number): boolean;
  claim(start: number, end: number): void;
}

export function createClaims(length: number): Claims {
  const taken = new Uint8Array(length);
  return {
    isFree(start, end) {
      for (let i = start; i < end; i++) if (taken[i] === 1) return false;
      return true;
    },
    claim: (start, end) => void taken.fill(1, start, end),
  };
}
