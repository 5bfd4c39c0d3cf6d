import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

const WITHIN_MS = 500;
const DEFAULT_PORT = 6379;

/**
 * Whether who listens there speaks TLS where the address says `redis://`, or a Redis speaks plain text where it says
 * `rediss://`. Says in words what to do; `undefined` when that is not what is wrong.
 */
export async function whyTlsMismatch(url: string): Promise<string | undefined> {
  const { protocol, hostname, port } = new URL(url);
  const at = { host: hostname.replaceAll(/[[\]]/g, ""), port: port === "" ? DEFAULT_PORT : Number(port) };
  if (protocol === "rediss:") {
    if (!(await speaksPlainly(at))) return undefined;
    return "it speaks plain text at that port, and rediss:// stands for TLS: write redis://, or name its TLS port";
  }
  if (!(await speaksTls(at))) return undefined;
  return "it speaks TLS at that port, and redis:// stands for plain text: write rediss://, or name its other port";
}

interface Place {
  readonly host: string;
  readonly port: number;
}

function speaksPlainly(at: Place): Promise<boolean> {
  const socket = connect(at);
  socket.on("connect", () => socket.write("PING\r\n"));
  return settles(socket, (yes, no) => {
    // Whoever wants a password answers with an error, and is a Redis all the same.
    socket.on("data", (answer: Buffer) => (/^[+-]/.test(answer.toString("latin1")) ? yes() : no()));
  });
}

function speaksTls(at: Place): Promise<boolean> {
  // Nothing is sent and nothing is believed: whose certificate it is does not matter here.
  const socket = connectTls({
    ...at,
    rejectUnauthorized: false,
    ...(isIP(at.host) === 0 ? { servername: at.host } : {}),
  });
  return settles(socket, (yes) => {
    socket.on("secureConnect", yes);
    // Only who speaks TLS refuses in its words: a certificate of ours was wanted, or an older version.
    socket.on("error", ({ message }) => (message.includes("alert") ? yes() : undefined));
  });
}

/** What is found out, or no when the connection ends or stays silent before. */
async function settles(socket: Socket, listen: (yes: () => void, no: () => void) => void): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const no = (): void => resolve(false);
  listen(() => resolve(true), no);
  socket.setTimeout(WITHIN_MS, no);
  socket.on("error", no);
  socket.on("close", no);
  const found = await promise;
  socket.destroy();
  return found;
}
