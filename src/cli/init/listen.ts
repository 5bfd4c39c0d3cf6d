import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createTelegramChannel } from "../../capabilities/comm-gateway/telegram/index.ts";
import type { ChannelInbound } from "../../capabilities/comm-gateway/ports.ts";
import type { Config, TelegramSettings } from "../../config.ts";
import { type Clock, createIds, failure, type FailureValue, isFailure } from "../../envelope/index.ts";
import { createLog } from "../../log.ts";
import type { People } from "../../people/index.ts";
import { lockFolder } from "../../storage/index.ts";
import { createInvitation } from "../telegram.ts";

/** Hears what people write to the bot while it is being set up. */
export interface Listener extends AsyncDisposable {
  /** Waits until `look` finds something; undefined once `signal` is aborted, a failure when nobody can be heard. */
  until<T>(look: () => T | undefined, signal: AbortSignal): Promise<T | FailureValue | undefined>;
  /** The chat in which the owner wrote /here last, as WAR_ROOM_CHAT names it. */
  readonly here: string | undefined;
}

export interface ListenerParts {
  readonly config: Config;
  readonly telegram: TelegramSettings;
  readonly people: People;
  readonly clock: Clock;
  readonly tell: (line: string) => void;
}

const LOOK_MS = 200;
/** How long what was said to people may still be on its way when nobody is waited for any more. */
const LAST_WORDS_MS = 5_000;

const ANSWERS = {
  here: "Taken down: this chat becomes the war room.",
  notOwner: "Only my owner can say where the war room is.",
  other: "I am still being set up. Ask me again once I have been started.",
} as const;

/**
 * Polls as the bot does when it runs, on the same files, so that nothing is heard twice. While there is no owner it tells the
 * code that makes one. E_ALREADY_RUNNING beside a root that runs on this data folder.
 */
export function openListener(parts: ListenerParts): Listener | FailureValue {
  const { config, telegram, people, clock, tell } = parts;
  const folder = join(config.dataDir, "root");
  const lock = lockFolder(folder);
  if (isFailure(lock)) {
    return lock.failure === "E_ALREADY_RUNNING"
      ? failure(lock.failure, `${lock.text}: stop it, run \`voxtree init\`, and start it again.`)
      : lock;
  }
  const invitation = createInvitation({ people, clock, zone: config.zone, tell });
  let here: string | undefined;
  const channel = createTelegramChannel({
    path: join(folder, "telegram.db"),
    durability: config.durability,
    token: telegram.token,
    apiRoot: telegram.apiRoot,
    door: people,
    clock,
    ids: createIds(clock.now),
    random: Math.random,
    // What is wrong with polling is told below, in words for who waits here.
    log: createLog({ level: config.logLevel === "warn" ? "error" : config.logLevel }),
    onSelf: ({ username }) => invitation.begin(username),
  });
  if (isFailure(channel)) {
    lock.release();
    return channel;
  }
  const { deliver, health } = channel;

  async function accept({ id, chat, person, text }: ChannelInbound): Promise<void> {
    const isOwner = people.find("telegram", person)?.role === "owner";
    const isHere = /^\/here$/i.test(text);
    const answer = !isHere ? ANSWERS.other : isOwner ? ANSWERS.here : ANSWERS.notOwner;
    if (isHere && isOwner) here = chat;
    // Should it not arrive, that is no reason to hear the same words again.
    void deliver({ requestId: id, chat, reply: { text: answer }, isRepeat: false }).catch(() => {});
  }
  void channel.start(accept);

  return {
    get here() {
      return here;
    },
    async until(look, signal) {
      let told = health().poll.text;
      while (!signal.aborted) {
        const found = look();
        if (found !== undefined) return found;
        const { state, text } = health().poll;
        if (state === "conflict" || state === "unauthorised") return failure("E_TELEGRAM", text);
        if (state === "unreachable" && text !== told) tell(text);
        told = text;
        await pause(signal);
      }
      return undefined;
    },
    async [Symbol.asyncDispose]() {
      invitation.stop();
      const late = AbortSignal.timeout(LAST_WORDS_MS);
      while (health().poll.state === "ok" && health().output.open > 0 && !late.aborted) await pause(late);
      await channel.close();
      lock.release();
    },
  };
}

/** By a timer that keeps the process alive, which those of the clock do not: nothing else may be under way. */
async function pause(signal: AbortSignal): Promise<void> {
  await setTimeout(LOOK_MS, undefined, { signal }).catch(() => undefined); // only the signal ends it early
}
