import type { Neighbour } from "../admission/index.ts";
import type { Clock, Ids } from "../envelope/index.ts";
import { failure } from "../envelope/index.ts";
import type { Ledger } from "../ledger/index.ts";
import type { CommandAnnouncement } from "../sdk/announcement.ts";
import type { MountedCapability } from "../sdk/capability.ts";
import type { Log } from "../sdk/context.ts";
import type { ReplyShape } from "../sdk/reply.ts";
import type { Transport } from "../transport/port.ts";
import { createAcknowledgements } from "./acknowledgements.ts";
import type { Collision } from "./command-map.ts";
import { Announcement, createCommandMap } from "./command-map.ts";
import { createContexts } from "./context.ts";
import { createDelegation } from "./delegation.ts";
import type { Addressee } from "./letters.ts";
import { createLetters } from "./letters.ts";
import type { AgentState } from "./lifecycle.ts";
import { createLifecycle } from "./lifecycle.ts";
import { createPeopleEdge } from "./people.ts";
import type { PersonsReply, PersonsWords } from "./people.ts";
import { createReceiver } from "./receiver.ts";
import type { AgentRole, DisabledRoleNote } from "./roles.ts";
import { createRouter } from "./roles.ts";
import type { Run } from "./run.ts";
import { PEOPLE, SELF } from "./run.ts";
import { createRunner } from "./runner.ts";
import type { Scheduler } from "./scheduler.ts";
import { createScheduler } from "./scheduler.ts";
import { createSender } from "./sender.ts";

/** What an agent is made of. Everything that reaches out of it is passed in. */
export interface AgentParts {
  readonly self: { readonly id: string; readonly name: string; readonly vantage?: string };
  readonly master: Neighbour | undefined;
  readonly children: readonly Neighbour[];
  readonly concurrency: number;
  readonly roles: readonly AgentRole[];
  readonly disabled: readonly DisabledRoleNote[];
  readonly capabilities: ReadonlyMap<string, MountedCapability>;
  readonly ledger: Ledger;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly random: () => number;
  readonly keepMs: number;
  /** The root's way to people. */
  readonly people?: PeopleParts;
  readonly onState?: (state: AgentState) => void;
  /** A handler has begun: `<agent>/<command or event> <request>`. */
  readonly onBegin?: (handler: string) => void;
}

export interface PeopleParts {
  readonly pseudonymOf: (channel: string, person: string) => string;
  /** False when nobody was there to see it: it is owed, and shown at the next start. */
  readonly show: (reply: PersonsReply) => Promise<boolean>;
  readonly progress: (requestId: string, text: string, fraction: number | undefined) => void;
  readonly timeoutMs: number;
  /** Ends the talk with people: whatever is still to be shown is owed. Called once nothing is in work any more. */
  readonly close: () => Promise<void>;
}

/** A child as its master sees it. */
export interface ChildView {
  readonly name: string;
  readonly state: "online" | "offline";
  readonly commands: readonly string[];
}

/** One agent at work. */
export interface Agent {
  readonly self: { readonly id: string; readonly name: string };
  readonly state: AgentState;
  /** Roles that cannot run, with their reasons; the agent is degraded when there is one. */
  readonly disabled: readonly DisabledRoleNote[];
  readonly collisions: readonly Collision[];
  /** Takes up its lanes and what was unfinished. */
  start(): Promise<void>;
  /** Resolves when every child has announced itself; false when one has not within `ms`. */
  childrenKnown(ms: number): Promise<boolean>;
  /** Raises on_boot: the agent and everything below it is there. */
  boot(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Stops as planned: what is in work may finish within `graceMs`, the rest goes on after the next start. */
  stop(graceMs: number): Promise<void>;
  /** Takes in words of a person; resolves when they are durable. */
  accept(words: PersonsWords): Promise<void>;
  commands(): readonly CommandAnnouncement[];
  children(): readonly ChildView[];
  /** Cancels a person's unfinished requests but this one; says how many. */
  cancelOthers(request: { readonly id: string; readonly askedBy: string }): number;
  lastReply(chat: string): ReplyShape | undefined;
}

const UPKEEP_MS = 1000;
const FORGET_EVERY_MS = 60_000;
const MOST_SOLO_CRASHES = 2;
const PROGRESS_EVERY_MS = 250;

/** Puts an agent together. It does nothing before `start`. */
export function createAgent(parts: AgentParts): Agent {
  const { self, master, children, ledger, clock, ids, log, people } = parts;
  const lifecycle = createLifecycle((state) => parts.onState?.(state));
  const letters = createLetters({ self, ids, now: clock.now });
  const map = createCommandMap(parts.roles.flatMap((role) => role.announcements));
  const router = createRouter(parts.roles);
  const neighbours = new Map([...(master ? [master] : []), ...children].map((one) => [one.name, one]));
  const addressees = new Map<string, Addressee>(
    [...neighbours.values(), { ...self, name: self.name }].map(({ id, name }) => [
      name,
      { address: `agent.${id}`, name },
    ]),
  );
  addressees.set(SELF, { address: `agent.${self.id}`, name: self.name });
  const collisions: Collision[] = [];
  const announced = Promise.withResolvers<void>();
  const lastProgress = new WeakMap<Run, number>();

  const peopleEdge = people && createPeopleEdge({ self, ledger, letters, ids, now: clock.now, ...people });
  let connection: Awaited<ReturnType<Transport["join"]>> | undefined;
  let stopUpkeep: (() => void) | undefined;
  let seenChanges = 0;
  let forgottenAt = 0;

  const sender = createSender({
    ledger,
    clock,
    log,
    random: parts.random,
    connection: { send: async (to, text) => connection?.send(to, text), close: async () => {} },
    show: (message, isRepeat) =>
      people && peopleEdge ? people.show(peopleEdge.read(message, isRepeat)) : Promise.resolve(false),
    loopBack: (n, text) => receiver.loopBack(n, text),
    writeAcknowledgement: (to, acknowledged) =>
      letters.acknowledge(addressees.get(to) ?? { address: to, name: to }, acknowledged).text,
  });
  const scheduler: Scheduler = createScheduler({
    concurrency: parts.concurrency,
    start: (slot) => runner.begin(slot),
    onAlone: (slot, isAlone) => ledger.inbox.setSolo(slot.n, isAlone),
  });
  const delegation = createDelegation({ ledger, sender, scheduler, letters, map, clock, addressees });
  const showProgress = (run: Run, text: string, fraction: number | undefined): void => {
    const now = clock.monotonic();
    if (now - (lastProgress.get(run) ?? -PROGRESS_EVERY_MS) < PROGRESS_EVERY_MS) return;
    lastProgress.set(run, now);
    if (run.peer === PEOPLE) people?.progress(run.message.message_id, text, fraction);
    const to = neighbours.has(run.peer) ? addressees.get(run.peer) : undefined;
    const step = fraction === undefined ? { text } : { text, fraction };
    if (to) sender.post(run.peer, letters.progress(to, run.message, step).text);
  };
  const contexts = createContexts({
    ledger,
    delegation,
    letters,
    self,
    log,
    capabilities: parts.capabilities,
    progress: showProgress,
  });
  const runner = createRunner({
    self, ledger, sender, scheduler, delegation, letters, map, router, clock, log, addressees, contexts,
    onBegin: (handler) => parts.onBegin?.(handler),
    onEnded: (n) => acknowledgements.ended(n),
  }); // prettier-ignore
  const acknowledgements = createAcknowledgements({
    clock,
    isNeighbour: (peer) => neighbours.has(peer),
    send: (peer, id) => sender.acknowledge(peer, id),
  });
  const receiver = createReceiver({
    self, ledger, runner, scheduler, delegation, sender, acknowledgements, letters, clock, log, neighbours, addressees,
    onAnnouncement: (child, commands) => takeAnnouncement(child, commands),
    onProgress: showProgress,
  }); // prettier-ignore

  const announce = (): void => {
    const to = master && addressees.get(master.name);
    if (to) sender.post(to.name, letters.announce(to, map.list()).text);
  };

  const takeAnnouncement = (child: string, commands: readonly CommandAnnouncement[]): void => {
    const { isChanged, collisions: found } = map.announce(child, commands);
    for (const collision of found) {
      collisions.push(collision);
      log.warn("two children offer one command; the later one is not taken up", { ...collision });
    }
    if (isChanged) {
      ledger.values.write([{ role: SELF, key: `commands/${child}`, value: JSON.stringify({ commands }) }]);
      if (lifecycle.state === "ACTIVE") announce();
    }
    if (children.every(({ name }) => map.of(name))) announced.resolve();
  };

  /** The last map of each child is remembered, so that its commands are known before it has spoken. */
  const recallChildren = (): void => {
    for (const { name } of children) {
      const remembered = Announcement.safeParse(ledger.values.get(SELF, `commands/${name}`));
      if (remembered.success) map.announce(name, remembered.data.commands);
    }
  };

  const recover = (): void => {
    for (const { n, priority, soloCrashes } of ledger.inbox.interrupted()) {
      if (soloCrashes < MOST_SOLO_CRASHES) {
        scheduler.enqueue({ n, priority, isSuspect: true });
        continue;
      }
      log.error("a request crashed this agent twice while it ran alone and is put aside", { n });
      runner.bury(
        n,
        failure("E_DEAD_LETTER", `This request crashed ${self.name} twice and has been put aside.`),
      );
    }
    for (const row of ledger.inbox.ready()) scheduler.enqueue(row);
    seenChanges = ledger.outsideChanges();
  };

  const upkeep = (): void => {
    if (ledger.outsideChanges() !== seenChanges) {
      seenChanges = ledger.outsideChanges();
      for (const row of ledger.inbox.ready()) if (!scheduler.isWaiting(row.n)) scheduler.enqueue(row);
    }
    if (clock.monotonic() - forgottenAt > FORGET_EVERY_MS) {
      // A full batch says that there is more to forget: the next second goes on with it.
      const forgotten = ledger.forget(clock.now() - parts.keepMs);
      if (forgotten === 0) forgottenAt = clock.monotonic();
    }
    stopUpkeep = clock.after(UPKEEP_MS, upkeep);
  };

  return {
    self,
    get state() {
      return lifecycle.state;
    },
    disabled: parts.disabled,
    collisions,
    async start() {
      recallChildren();
      recover();
      await ledger.committed();
      lifecycle.to("IDLE");
      connection = await parts.transport.join({
        name: self.name,
        neighbours: [...neighbours.keys()],
        receive: receiver.receive,
      });
      sender.start();
      lifecycle.to("ACTIVE");
      scheduler.setMode("open");
      announce();
      stopUpkeep = clock.after(UPKEEP_MS, upkeep);
      if (children.length === 0) announced.resolve();
    },
    async childrenKnown(ms) {
      const timeout = Promise.withResolvers<boolean>();
      const stop = clock.after(ms, () => timeout.resolve(false));
      const isKnown = await Promise.race([announced.promise.then(() => true), timeout.promise]);
      stop();
      return isKnown;
    },
    async boot() {
      if (router.listeners("on_boot").length === 0) return;
      const letter = letters.toSelf("on_boot", {});
      await receiver.accept(SELF, letter, 60_000);
    },
    pause() {
      lifecycle.to("PAUSED");
      scheduler.setMode("paused");
    },
    resume() {
      lifecycle.to("ACTIVE");
      scheduler.setMode("open");
    },
    async stop(graceMs) {
      if (!lifecycle.may("STOPPING")) return;
      lifecycle.to("STOPPING");
      scheduler.setMode("draining");
      stopUpkeep?.();
      await runner.drain(graceMs);
      await people?.close();
      acknowledgements.stop();
      await sender.stop();
      await connection?.close();
      for (const capability of parts.capabilities.values()) await capability.close();
      await ledger.committed();
      ledger.close();
      lifecycle.to("STOPPED");
    },
    async accept(words) {
      if (!people || !peopleEdge) throw new Error(`${self.name} does not talk to people`);
      await receiver.accept(PEOPLE, peopleEdge.write(words), people.timeoutMs);
    },
    commands: () => map.list(),
    children: () =>
      children.map(({ name }) => {
        const known = map.of(name);
        return {
          name,
          state: known ? ("online" as const) : ("offline" as const),
          commands: (known ?? []).map((command) => command.name),
        };
      }),
    cancelOthers({ id, askedBy }) {
      let count = 0;
      for (const run of runner.live.values()) {
        const isOther =
          run.peer === PEOPLE && run.message.message_id !== id && run.behalf.asked_by === askedBy;
        if (isOther && runner.end(run.n, failure("E_CANCELLED", "Cancelled."))) count += 1;
      }
      return count;
    },
    lastReply: (chat) => peopleEdge?.lastReply(chat),
  };
}
