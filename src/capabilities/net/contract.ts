/** Where a check stopped. "policy" means that Voxtree itself refused; "deadline" that the time for the whole call was over. */
type Phase = "policy" | "dns" | "connect" | "tls" | "response" | "body" | "deadline" | "redirect";

/** Why something was not reached, before the call adds what it knows about the way there. */
export interface Trouble {
  readonly phase: Phase;
  /** One clause for the person who asked; never holds a user or a password. */
  readonly reason: string;
  /** A code of the failure registry, or the system's own ("ECONNREFUSED", "CERT_HAS_EXPIRED"). */
  readonly code?: string;
  /** "prober": the checker could not tell (its resolver, its network, its policy). "target": the other side is to blame. */
  readonly fault: "target" | "prober";
  /** The status that had come before the trouble. */
  readonly status?: number;
}

export function isTrouble(value: object): value is Trouble {
  return "fault" in value;
}

/** One answer on the way: every URL that was asked and the status that it gave. */
export interface Hop {
  readonly url: string;
  readonly status: number;
}

/** Where the time went, in ms, summed over all hops; 0 for a phase that did not take place. */
export interface Phases {
  readonly dnsMs: number;
  readonly tcpMs: number;
  readonly tlsMs: number;
  readonly ttfbMs: number;
}

/** A page that answered, whatever it answered. */
export interface Reached {
  readonly reached: true;
  /** The address asked for, as people write it, without user and password. */
  readonly url: string;
  /** The host of the last hop; an international name in both of its spellings. */
  readonly host: string;
  readonly status: number;
  /** From the start of the call to the end of what was read of the body. */
  readonly totalMs: number;
  readonly phases: Phases;
  readonly hops: readonly Hop[];
  /** The IP address that gave the last answer. */
  readonly address: string;
  readonly finalUrl: string;
  /** The body's beginning, decoded; at most the cap. */
  readonly bodyText: string;
  readonly isBodyCut: boolean;
  /** Whole days that the first certificate to run out on the way still has; 0 is its last day. */
  readonly certificateDaysLeft?: number;
  /** Addresses of the last host that were tried first and did not connect. */
  readonly deadAddresses: readonly string[];
}

/** Something that was not reached. A value, since a site that is down is an answer. */
export interface NotReached extends Omit<Trouble, "status"> {
  readonly reached: false;
  /** What was asked for, as people write it, without user and password. */
  readonly url: string;
  readonly totalMs: number;
  readonly hops: readonly Hop[];
}

/** What one address of a host did when its port was tried. */
export interface PortAttempt {
  readonly address: string;
  /** "filtered": nothing came back in time. "unreachable": the network says that there is no way. */
  readonly state: "open" | "refused" | "filtered" | "unreachable";
  readonly ms: number;
  /** The first line that an open port says by itself, at most 120 characters, printable. */
  readonly banner?: string;
}

export interface FetchOptions {
  /** Ends the call by throwing the signal's reason; the request's own signal is always heeded. */
  readonly signal?: AbortSignal;
  readonly method?: "GET" | "HEAD";
  /** For the whole call, redirects and body included; default by the agent's settings, at most 60 s. */
  readonly timeoutMs?: number;
  /** Reach it by IPv4 or by IPv6 alone. */
  readonly family?: 4 | 6;
  /** May lower the settings' cap for the body. */
  readonly maxBytes?: number;
  /** Whether redirects are followed (at most 5); default true. */
  readonly follow?: boolean;
}

export interface ConnectOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Checks that leave the machine. Only public addresses are reached, and what NET_ALLOW names. */
export interface Net {
  /** Asks for a page. Never throws for the site's fault; throws the signal's reason when the call is cancelled. */
  fetch(url: string, options?: FetchOptions): Promise<Reached | NotReached>;
  /** Tries a TCP port on every address of a host, side by side. */
  connect(host: string, port: number, options?: ConnectOptions): Promise<PortAttempt[] | NotReached>;
}
