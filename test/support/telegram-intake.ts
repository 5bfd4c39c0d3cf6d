import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TelegramClient } from "../../src/capabilities/comm-gateway/telegram/client.ts";
import type {
  Asking,
  Behind,
  Door,
  WayOut,
} from "../../src/capabilities/comm-gateway/telegram/intake-ports.ts";
import { createIntake, type Intake } from "../../src/capabilities/comm-gateway/telegram/intake.ts";
import {
  openTelegramDatabase,
  type TelegramDatabase,
} from "../../src/capabilities/comm-gateway/telegram/store.ts";
import type { ChannelInbound } from "../../src/capabilities/comm-gateway/ports.ts";
import { createManualClock, type ManualClock } from "./manual-clock.ts";
import { SILENT } from "./silent-log.ts";
import { ANN, BOB, SELF } from "./telegram-updates.ts";

/** An intake with everything around it, that can be killed and started again on the same file. */
export interface IntakeBench extends AsyncDisposable {
  readonly clock: ManualClock;
  /** What was handed over, in order. A handover that failed is not in it. */
  readonly handed: ChannelInbound[];
  readonly asked: Asking[];
  /** What the channel said by itself: chat and text. */
  readonly told: (readonly [chat: string, text: string])[];
  /** Toasts of answered presses by callback id; undefined where there was none. */
  readonly answers: (readonly [id: string, toast: string | undefined])[];
  /** Everything that happened around presses and words, in order. */
  readonly order: string[];
  readonly chats: string[];
  readonly buttons: Map<string, Behind>;
  readonly people: Set<string>;
  /** Makes handing over fail or wait, by chat. */
  accept: (inbound: ChannelInbound) => Promise<void>;
  knock: Door["knock"];
  take(...updates: readonly object[]): void;
  begin(): void;
  /** As after SIGKILL: nothing is closed in order, the file is opened again. */
  restart(): void;
  close(): Promise<void>;
  /** Resolves when nothing moves any more without the clock. */
  settle(): Promise<void>;
}

export function openIntake(): IntakeBench {
  const folder = mkdtempSync(join(tmpdir(), "telegram-intake-"));
  let db: TelegramDatabase;
  let intake: Intake;

  const out: WayOut = {
    asked: (asking) => void bench.asked.push(asking),
    tell: (chat, text) => void bench.told.push([chat, text]),
    press(payload) {
      bench.order.push(`looked up ${payload}`);
      return bench.buttons.get(payload) ?? { kind: "gone" };
    },
    moved: (from, to) => void bench.chats.push(`${from} is ${to}`),
    shut: (chat) => void bench.chats.push(`${chat} shut`),
    opened: (chat) => void bench.chats.push(`${chat} open`),
  };
  const client: Pick<TelegramClient, "call"> = {
    call(method, args) {
      const { callback_query_id: id, text } = args as { callback_query_id: string; text?: string };
      bench.order.push(`${method} ${id}`);
      bench.answers.push([id, text]);
      return Promise.resolve({ kind: "failed", why: { kind: "refused", text: "400 query is too old" } });
    },
  };

  function open(): void {
    const opened = openTelegramDatabase({ path: join(folder, "telegram.db") });
    if ("failure" in opened) throw new Error(opened.text);
    db = opened;
    const door: Door = {
      find: (_, userId) => (bench.people.has(userId) ? {} : undefined),
      isPairing: () => false,
      knock: (channel, stranger) => bench.knock(channel, stranger),
    };
    intake = createIntake({ db, client, clock: bench.clock, door, out, log: SILENT });
  }

  const bench: IntakeBench = {
    clock: createManualClock(),
    handed: [],
    asked: [],
    told: [],
    answers: [],
    order: [],
    chats: [],
    buttons: new Map(),
    people: new Set([String(ANN.id), String(BOB.id)]),
    accept: () => Promise.resolve(),
    knock: () => ({ kind: "silent" }),
    take: (...updates) => intake.take(updates, SELF),
    begin: () =>
      intake.start(async (inbound) => {
        await bench.accept(inbound);
        bench.handed.push(inbound);
        bench.order.push(`handed ${inbound.text}`);
      }),
    restart() {
      // What the old one still does finds its file shut, as if it were dead.
      db.close();
      open();
    },
    close: () => intake.close(),
    async settle() {
      for (let i = 0; i < 20; i++) await new Promise(setImmediate);
    },
    async [Symbol.asyncDispose]() {
      await intake.close();
      db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  open();
  return bench;
}
