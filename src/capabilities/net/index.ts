import { z } from "zod";
import type { CapabilityDefinition } from "../../sdk/capability.ts";
import { parseAllowList } from "./allow-list.ts";
import { createCalls, type CallTerms } from "./calls.ts";
import type { ConnectOptions, Net } from "./contract.ts";
import { fetchPage } from "./fetch-page.ts";
import { resolveBySystem, type Resolve } from "./lookup.ts";
import { probePort } from "./probe-port.ts";

export type { Net } from "./contract.ts";

declare module "../../sdk/role.ts" {
  interface Capabilities {
    net: Net;
  }
}

const MAX_TIMEOUT_MS = 60_000;

/** An agent's settings for `net`. */
const NetSettings = z
  .strictObject({
    /** How long a call may take when the role does not say. */
    timeoutMs: z.int().min(100).max(MAX_TIMEOUT_MS).default(10_000),
    /** How much of a page's body is read at most. */
    maxBodyBytes: z.int().min(1024).max(1_048_576).default(131_072),
  })
  .prefault({});

export interface NetParts {
  /** The entries of NET_ALLOW. Check them by `parseAllowList` where they come in: a bad one throws here. */
  readonly allow: readonly string[];
  /** How names are looked up; default: by the system. */
  readonly resolve?: Resolve;
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: readonly string[];
  /** Unix ms; default: the clock. */
  readonly now?: () => number;
}

/** The capability to ask pages and ports over the network, within the policy: public addresses, and what `allow` names. */
export function createNetCapability(parts: NetParts): CapabilityDefinition<"net"> {
  const { list, failures } = parseAllowList(parts.allow);
  if (failures.length > 0) throw new TypeError(failures.map(({ text }) => text).join(" "));
  const policy = { allow: list, resolve: parts.resolve ?? resolveBySystem };
  const tls = { ca: parts.ca, now: parts.now ?? Date.now };
  return {
    id: "net",
    rootOnly: false,
    settings: NetSettings,
    mount(scope) {
      const settings = NetSettings.parse(scope.settings);
      const calls = createCalls();
      return {
        handle({ signal }): Net {
          const termsOf = (options: ConnectOptions): CallTerms => ({
            timeoutMs: Math.min(options.timeoutMs ?? settings.timeoutMs, MAX_TIMEOUT_MS),
            signals: options.signal === undefined ? [signal] : [signal, options.signal],
          });
          return {
            fetch: (url, options = {}) =>
              calls.run(termsOf(options), (span) => {
                const { method = "GET", follow = true, family, maxBytes = settings.maxBodyBytes } = options;
                const cap = Math.min(maxBytes, settings.maxBodyBytes);
                return fetchPage(url, { policy, tls }, { ...span, method, follow, family, maxBytes: cap });
              }),
            connect: (host, port, options = {}) =>
              calls.run(termsOf(options), (span) => probePort({ host, port }, policy, span)),
          };
        },
        close: () => calls.close(),
      };
    },
  };
}
