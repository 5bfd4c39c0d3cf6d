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
import { createAnnouncements } from "./announcements.ts";
import type { Collision } from "./command-map.ts";
import { createCommandMap } from "./command-map.ts";
import { createContexts } from "./context.ts";
import { createDelegation } from "./delegation.ts";
import { detached } from "./detached.ts";
import type { Addressee } from "./letters.ts";
import { createLetters } from "./letters.ts";
import type { AgentState } from "./lifecycle.ts";
import type { House } from "./house.ts";
import { createLifecycle } from "./lifecycle.ts";
import { createPeopleEdge } from "./people.ts";
import type { PersonsReply, PersonsWords } from "./people.ts";
import { createProgress } from "./progress.ts";
import { createReceiver } from "./receiver.ts";
import type { AgentRole, DisabledRoleNote } from "./roles.ts";
import { createRouter } from "./roles.ts";
import type { Run } from "./run.ts";
import { PEOPLE, SELF } from "./run.ts";
import { createRunner } from "./runner.ts";
import type { Scheduler } from "./scheduler.ts";
import { createScheduler } from "./scheduler.ts";
import { createSender } from "./sender.ts";
import { createUpkeep } from "./upkeep.ts";

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
  /** Shared by the agents of a process. */
  readonly house: House;
  readonly onState?: (state: AgentState) => void;
  /** The code of a role has its turn: `<agent>/<command or event> <request>`. */
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

/** Puts an agent together. It does nothing before `start`. */
export function createAgent(parts: AgentParts): Agent {
  const { self, master, children, ledger, ids, log, people } = parts;
  const clock: Clock = {
    ...parts.clock,
    after: (ms, callback) => parts.clock.after(ms, () => detached(ledger, callback)),
  };
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

  const peopleEdge = people && createPeopleEdge({ self, ledger, letters, ids, now: clock.now, ...people });
  let connection: Awaited<ReturnType<Transport["join"]>> | undefined;

  const sender = createSender({
    ledger,
    clock,
    log,
    random: parts.random,
    connection: {
      // What is still owed to somebody who has left the tree would wait in a lane that nobody takes from.
      send: async (to, parcel) => (neighbours.has(to) ? connection?.send(to, parcel) : undefined),
    },
    show: (message, isRepeat) =>
      people && peopleEdge ? people.show(peopleEdge.read(message, isRepeat)) : Promise.resolve(false),
    loopBack: (n, text) => receiver.loopBack(n, text),
    writeAcknowledgement: (to, acknowledged) =>
      letters.acknowledge(addressees.get(to) ?? { address: to, name: to }, acknowledged),
  });
  const scheduler: Scheduler = createScheduler({
    concurrency: parts.concurrency,
    house: parts.house,
    start: (slot) => runner.begin(slot),
    onAlone: (slot, isAlone) => ledger.inbox.setSolo(slot.n, isAlone),
    whenDurable: (then) => detached(ledger, () => ledger.committed().then(then)),
  });
  const delegation = createDelegation({ ledger, sender, scheduler, letters, map, clock, addressees });
  const progress = createProgress({
    clock,
    letters,
    masterOf: (peer) => (neighbours.has(peer) ? addressees.get(peer) : undefined),
    post: (to, letter) => sender.post(to, letter),
    show: ({ message_id: id }, text, fraction) => people?.progress(id, text, fraction),
  });
  const contexts = createContexts({
    ledger,
    delegation,
    letters,
    self,
    log,
    capabilities: parts.capabilities,
    progress,
    onTurn({ message: { message_id, details } }) {
      parts.onBegin?.(`${self.name}/${String(details["command"] ?? details["event"])} ${message_id}`);
    },
  });
  const runner = createRunner({
    self, ledger, sender, scheduler, delegation, letters, map, router, clock, log, addressees, contexts,
    onEnded: (n) => acknowledgements.ended(n),
  }); // prettier-ignore
  const acknowledgements = createAcknowledgements({
    clock,
    isNeighbour: (peer) => neighbours.has(peer),
    send: (peer, id) => sender.acknowledge(peer, id),
  });
  const receiver = createReceiver({
    self, ledger, runner, scheduler, delegation, sender, acknowledgements, letters, clock, log, neighbours, addressees,
    onAnnouncement: (child, commands) => announcements.take(child, commands),
    onProgress: progress,
  }); // prettier-ignore
  const upkeep = createUpkeep({ ledger, scheduler, runner, clock, log, keepMs: parts.keepMs });

  const announcements = createAnnouncements({
    master, children, map, ledger, letters, sender, clock, log,
    isUp: () => lifecycle.state === "ACTIVE" || lifecycle.state === "PAUSED",
  }); // prettier-ignore

  return {
    self,
    get state() {
      return lifecycle.state;
    },
    disabled: parts.disabled,
    get collisions() {
      return map.collisions;
    },
    async start() {
      announcements.recall();
      upkeep.recover();
      await ledger.committed();
      lifecycle.to("IDLE");
      connection = await parts.transport.join({
        name: self.name,
        neighbours: [...neighbours.keys()],
        receive: receiver.receive,
        onChange: () => undefined,
        onTrouble: () => undefined,
      });
      sender.start();
      lifecycle.to("ACTIVE");
      scheduler.setMode("open");
      announcements.announce();
      upkeep.start();
    },
    async childrenKnown(ms) {
      const timeout = Promise.withResolvers<boolean>();
      const stop = clock.after(ms, () => timeout.resolve(false));
      const isKnown = await Promise.race([announcements.complete.then(() => true), timeout.promise]);
      stop();
      return isKnown;
    },
    async boot() {
      if (router.listeners("on_boot").length === 0) return;
      const letter = letters.toSelf("on_boot", {});
      await receiver.accept(SELF, letter);
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
      upkeep.stop();
      try {
        scheduler.setMode("draining");
        await runner.drain(graceMs);
        await people?.close();
        acknowledgements.stop();
        await sender.stop();
        await ledger.committed();
      } catch (error) {
        // What the ledger holds is what there is: nothing more can be done for what is in work.
        if (!ledger.hasFailed()) throw error;
        await people?.close();
      }
      await connection?.close();
      for (const [id, capability] of parts.capabilities) {
        await capability.close().catch((error: unknown) => {
          log.error("a capability did not close", { id, error: String(error) });
        });
      }
      ledger.close();
      lifecycle.to(ledger.hasFailed() ? "FAILED" : "STOPPED");
    },
    async accept(words) {
      if (!people || !peopleEdge) throw new Error(`${self.name} does not talk to people`);
      await receiver.accept(PEOPLE, peopleEdge.write(words));
    },
    commands: () => map.list(),
    children: () =>
      children.map(({ name }) => {
        const state = announcements.hasHeard(name) ? ("online" as const) : ("offline" as const);
        return { name, state, commands: (map.of(name) ?? []).map((command) => command.name) };
      }),
    cancelOthers({ id, askedBy }) {
      const why = failure("E_CANCELLED", "Cancelled.");
      const isOther = ({ peer, message }: Pick<Run, "peer" | "message">): boolean =>
        peer === PEOPLE && message.message_id !== id && message.source === askedBy;
      // What waits for nobody is about to be answered: there is nothing in it to cancel.
      const isWaiting = ({ n }: Pick<Run, "n">): boolean => ledger.waits.openOf(n).length > 0;
      const inWork = [...runner.live.values()].filter(
        (run) => isOther(run) && isWaiting(run) && runner.end(run.n, why),
      );
      const inLine = scheduler
        .waiting()
        .filter(({ n }) => isOther(ledger.inbox.read(n)) && scheduler.withdraw(n));
      for (const { n } of inLine) runner.refuse(n, why);
      return inWork.length + inLine.length;
    },
    lastReply: (chat) => peopleEdge?.lastReply(chat),
  };
}
