import type { FailureValue } from "../envelope/index.ts";
import { failure } from "../envelope/index.ts";
import type { Ledger } from "../ledger/index.ts";
import type { CommandAnnouncement } from "../sdk/announcement.ts";
import type { CommandMap } from "./command-map.ts";
import type { Addressee } from "./letters.ts";
import type { Presence } from "./presence.ts";
import { SELF } from "./run.ts";

/** Who is asked for a command. */
export interface Chosen {
  /** A child's name, or the agent itself. */
  readonly child: string;
  readonly to: Addressee;
  readonly announcement: CommandAnnouncement;
}

/** Chooses who is asked, where several can do it and some may be gone. */
export interface Choice {
  /**
   * Whoever has the fewest open questions; in turn, where several have as few. `except` have been asked already; `like`
   * was asked first, and only who takes the same words to the same effect can be asked in its place.
   * E_UNKNOWN_COMMAND for what nobody offers, E_OFFLINE when nobody is left who does.
   */
  choose(command: string, except?: readonly string[], like?: string): Chosen | FailureValue;
  /** What a command does to the world, by the word of the child that is asked for it. */
  effectOf(command: string, child: string): CommandAnnouncement["effect"] | undefined;
  /** Whether a question to a child can be given up: the child is gone, and the command only looks. */
  mayGiveUp(child: string, command: string): boolean;
  /** That nobody who offers a command is there, or that `child` is not, who was asked. */
  offline(command: string, child?: string): FailureValue;
}

export interface ChoiceParts {
  readonly map: CommandMap;
  readonly presence: Pick<Presence, "isOnline" | "isStopping" | "isNotStarted" | "silentMs">;
  readonly waits: Pick<Ledger["waits"], "inFlight">;
  readonly addressees: ReadonlyMap<string, Addressee>;
}

export function createChoice({ map, presence, waits, addressees }: ChoiceParts): Choice {
  const chosenAt = new Map<string, number>();
  let count = 0;

  const placesOf = (command: string): readonly string[] => {
    const place = map.find(command)?.place;
    if (!place) return [];
    return place.kind === "own" ? [SELF] : place.children;
  };

  const effectOf: Choice["effectOf"] = (command, child) =>
    (map.of(child)?.find(({ name }) => name === command) ?? map.find(command)?.announcement)?.effect;

  /** Less is better, from the first number on: who is about to stop is asked last. */
  const burdenOf = (child: string): readonly number[] => [
    presence.isStopping(child) ? 1 : 0,
    waits.inFlight(child),
    chosenAt.get(child) ?? 0,
  ];

  /** It does not say whose fault it is: who asked does not know who is asked below. */
  const offline: Choice["offline"] = (command, child) => {
    const places = child === undefined ? placesOf(command) : [child];
    if (places.every((place) => presence.isNotStarted(place))) {
      const text = `"${command}" cannot be asked for just now: who can do it has not been started.`;
      return failure("E_OFFLINE", text);
    }
    const span = inWords(Math.min(...places.map((place) => presence.silentMs(place))));
    const text = `"${command}" cannot be asked for just now: who can do it has not been heard of for ${span}.`;
    return failure("E_OFFLINE", text);
  };

  return {
    offline,
    choose(command, except = [], like) {
      const announcement = map.find(command)?.announcement;
      if (!announcement) return failure("E_UNKNOWN_COMMAND", `Nobody here offers "${command}".`);
      const able = placesOf(command).filter(
        (child) =>
          presence.isOnline(child) &&
          !except.includes(child) &&
          (like === undefined || map.areAlike(command, child, like)),
      );
      const [child] = able.length > 1 ? able.sort((a, b) => compare(burdenOf(a), burdenOf(b))) : able;
      const to = child === undefined ? undefined : addressees.get(child);
      if (child === undefined || !to) return offline(command);
      chosenAt.set(child, ++count);
      return { child, to, announcement };
    },
    effectOf,
    mayGiveUp: (child, command) => !presence.isOnline(child) && effectOf(command, child) === "read",
  };
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

function inWords(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
