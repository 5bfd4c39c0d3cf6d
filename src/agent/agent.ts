import type { Clock } from "../envelope/index.ts";
import { endsWithin, failure } from "../envelope/index.ts";
import type { AgentAtWork } from "../sdk/capability.ts";
import type { Transport } from "../transport/port.ts";
import { createAcknowledgements } from "./acknowledgements.ts";
import { createAlerts } from "./alerts.ts";
import { createAnnouncements } from "./announcements.ts";
import { createChoice } from "./choice.ts";
import { createCommandMap } from "./command-map.ts";
import { createContexts } from "./context.ts";
import { createDeadlines } from "./deadlines.ts";
import { createDelegation } from "./delegation.ts";
import { createHeart } from "./heartbeat.ts";
import { detached } from "./detached.ts";
import type { Addressee } from "./letters.ts";
import { createLetters } from "./letters.ts";
import { createLifecycle } from "./lifecycle.ts";
import { createPeopleEdge } from "./people.ts";
import { createPresence } from "./presence.ts";
import { createProgress } from "./progress.ts";
import { createReceiver } from "./receiver.ts";
import { createRouter } from "./roles.ts";
import { createNews } from "./news.ts";
import { createNotices } from "./notices.ts";
import type { Run } from "./run.ts";
import { PEOPLE, SELF } from "./run.ts";
import { createRunner } from "./runner.ts";
import type { Scheduler } from "./scheduler.ts";
import { createScheduler } from "./scheduler.ts";
import { createSender } from "./sender.ts";
import type { Agent, AgentParts, ChildView } from "./parts.ts";
import { createUpkeep } from "./upkeep.ts";

/** Puts an agent together. It does nothing before `start`. */
export function createAgent(parts: AgentParts): Agent {
  const { self, master, children, ledger, ids, log, people, capabilities } = parts;
  const clock: Clock = {
    ...parts.clock,
    after: (ms, callback) => parts.clock.after(ms, () => detached(ledger, callback)),
  };
  const lifecycle = createLifecycle((state) => parts.onState?.(state));
  const isUp = (): boolean => lifecycle.state === "ACTIVE" || lifecycle.state === "PAUSED";
  const sharedNow = (): number | undefined => connection?.sharedNow();
  const letters = createLetters({ self, ids, now: clock.now, sharedNow });
  const map = createCommandMap(
    parts.roles.flatMap((role) => role.announcements),
    children,
  );
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
      isUp: () => connection?.isUp() === true,
    },
    show: (message, isRepeat) =>
      people && peopleEdge ? people.show(peopleEdge.read(message, isRepeat)) : Promise.resolve(false),
    loopBack: (n, text) => receiver.loopBack(n, text),
    onUndelivered: (to) => alerts.undelivered(to),
    writeAcknowledgement: (to, acknowledged) =>
      letters.acknowledge(addressees.get(to) ?? { address: to, name: to }, acknowledged),
  });
  const whenDurable = (then: () => void): void => detached(ledger, () => ledger.committed().then(then));
  const scheduler: Scheduler = createScheduler({
    concurrency: parts.concurrency,
    house: parts.house,
    start: (slot) => runner.begin(slot),
    onAlone: (slot, isAlone) => ledger.inbox.setSolo(slot.n, isAlone),
    whenDurable,
  });
  const { isShared } = parts.transport;
  const alerts = createAlerts({ ledger, letters, clock, log, stream: () => connection?.alerts });
  const presence = createPresence({
    children,
    isShared,
    clock,
    log,
    onOffline(child) {
      // What it was asked goes to who takes the same words, before the word of another counts.
      delegation.lost(child);
      announcements.turn(child, "offline");
    },
    onOnline: (child) => announcements.turn(child, "online"),
    onChange(change) {
      alerts.presence(change);
      parts.onPresence?.(change);
    },
  });
  const heart = createHeart({
    master, isShared, map, letters, clock,
    send: async (to, parcel) => connection?.send(to, parcel),
  }); // prettier-ignore
  const deadlines = createDeadlines({ ledger, clock, log });
  const delegation = createDelegation({
    ledger, sender, scheduler, letters, clock, deadlines, addressees,
    choice: createChoice({ map, presence, waits: ledger.waits, addressees }),
  }); // prettier-ignore
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
    addressees,
    capabilities,
    progress,
    onTurn({ message: { message_id, details } }) {
      parts.onBegin?.(`${self.name}/${String(details["command"] ?? details["event"])} ${message_id}`);
    },
  });
  const runner = createRunner({
    self, ledger, sender, scheduler, delegation, letters, map, router, clock, log, addressees, contexts,
    onEnded: (n) => acknowledgements.ended(n),
    onAlert: alerts.post,
    onDead: (message, { failure: code }) => alerts.dead(message, code),
  }); // prettier-ignore
  const acknowledgements = createAcknowledgements({
    clock,
    isNeighbour: (peer) => neighbours.has(peer),
    send: (peer, id) => sender.acknowledge(peer, id),
  });
  const receiver = createReceiver({
    self, ledger, runner, scheduler, delegation, sender, acknowledgements, letters, clock, deadlines, log, neighbours,
    addressees,
    news: createNews({ ledger, sharedNow }),
    notices: createNotices({ ledger, sender, letters, addressees, now: clock.now, whenDurable }),
    onAnnouncement(child, commands) {
      presence.heard(child, "up");
      announcements.take(child, commands);
    },
    onProgress: progress,
    sharedNow,
    mostWaiting: parts.mostWaiting,
    onHeard: (child) => presence.heard(child),
    onHeartbeat(child, beat) {
      presence.heard(child, beat.state);
      announcements.compare(child, beat.commands);
    },
    onHeld: (digest) => announcements.knownAbove(digest),
  }); // prettier-ignore
  const upkeep = createUpkeep({ ledger, scheduler, runner, clock, deadlines, log, keepMs: parts.keepMs });

  const announcements = createAnnouncements({
    master, children, map, ledger, letters, sender, clock, log, addressees,
    isMemoryEnough: isShared,
    isUp,
  }); // prettier-ignore

  const raise: AgentAtWork["raise"] = ({ id, role, event, payload, cause }) => {
    const { askedBy: asked_by, language, zone } = cause;
    const letter = letters.toSelf({
      id, role, event, payload, cause: cause.id, behalf: { asked_by, language, zone },
    }); // prettier-ignore
    detached(ledger, () => receiver.accept(SELF, letter));
  };

  const atWork: AgentAtWork = { raise, committed: ledger.committed, after: clock.after };

  return {
    self,
    get state() {
      return lifecycle.state;
    },
    get isTransportUp() {
      return connection?.isUp() === true;
    },
    disabled: parts.disabled,
    get collisions() {
      return map.collisions;
    },
    async start() {
      ledger.beginProcess(process.pid);
      announcements.recall();
      upkeep.recover();
      await ledger.committed();
      lifecycle.to("IDLE");
      connection = await parts.transport.join({
        name: self.name,
        neighbours: [...neighbours.keys()],
        receive: receiver.receive,
        onChange(lanes) {
          presence.turn(lanes);
          // Before it is up and after it has stopped, its start and its stop see to what is open.
          if (lanes === "down" || !isUp()) return;
          heart.beat();
          sender.resend();
          alerts.resend();
        },
        onTrouble: alerts.trouble,
      });
      sender.start();
      lifecycle.to("ACTIVE");
      scheduler.setMode("open");
      announcements.announce();
      presence.start(connection.isUp());
      heart.start();
      upkeep.start();
      alerts.resend();
      for (const capability of capabilities.values()) await capability.start?.(atWork);
    },
    childrenKnown: (ms) => endsWithin(clock, ms, announcements.complete),
    async boot() {
      if (router.listeners("on_boot").length === 0) return;
      const letter = letters.toSelf({ event: "on_boot", payload: {} });
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
        await heart.farewell();
      } catch (error) {
        // What the ledger holds is what there is: nothing more can be done for what is in work.
        if (!ledger.hasFailed()) throw error;
        heart.stop();
        await people?.close();
      }
      presence.stop();
      alerts.stop();
      await connection?.close();
      for (const [id, capability] of capabilities) {
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
      children.map(({ name, autostart }): ChildView => {
        // Of whom nothing is known yet, nothing can be asked.
        const isOnline = isShared
          ? presence.isOnline(name) && map.of(name) !== undefined
          : announcements.hasHeard(name);
        const absence = autostart === false && !presence.hasHeard(name) ? "not started" : "offline";
        return {
          name, state: isOnline ? "online" : absence, commands: (map.of(name) ?? []).map((command) => command.name),
        }; // prettier-ignore
      }),
    hasHeard: (child) => presence.hasHeard(child),
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
