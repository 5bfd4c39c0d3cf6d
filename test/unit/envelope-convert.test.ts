import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AEE_TYPE_OF, AeeEnvelope, toAee, toVox, VoxMessage } from "../../src/envelope/index.ts";
import { base, envelope, json, message, nullable, TYPES } from "../support/envelopes.ts";

describe("conversions", () => {
  test("a message comes back from its envelope as it was, with the defaults filled in", () => {
    fc.assert(
      fc.property(message, (made) => {
        const filled: Record<string, unknown> = {
          ...made,
          corr: made.corr ?? made.message_id,
          priority: made.priority ?? "normal",
          requires: made.requires ?? null,
          trace: made.trace ?? null,
          sig: made.sig ?? null,
        };
        if (Object.keys(made.extensions ?? {}).length === 0) delete filled["extensions"];
        expect(toVox(toAee(made))).toEqual(filled);
      }),
    );
  });

  test("the envelope of a message is valid AEE", () => {
    fc.assert(
      fc.property(message, (made) => {
        const written = toAee(made);
        expect(AeeEnvelope.parse(written)).toEqual(written);
      }),
    );
  });

  test("an envelope comes back from its message as it was, unknown fields included", () => {
    fc.assert(
      fc.property(envelope, (made) => {
        const view = toVox(AeeEnvelope.parse(made));
        expect(view && toAee(view)).toEqual(made);
      }),
    );
  });

  test("what toVox gives is what VoxMessage would parse", () => {
    fc.assert(
      fc.property(envelope, (made) => {
        const view = toVox(AeeEnvelope.parse(made));
        expect(VoxMessage.parse(view)).toEqual(view);
      }),
    );
  });

  test("toVox refuses exactly what VoxMessage refuses", () => {
    const odd = fc.record(
      {
        message_source: fc.oneof(json, fc.constant("")),
        message_type: fc.oneof(json, fc.constantFrom(...TYPES, "toString", "__proto__", "constructor")),
        type: fc.constantFrom("task", "event", "stream"),
        reply_to: nullable(fc.string({ maxLength: 10 })),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(envelope, odd, (made, change) => {
        const parsed = AeeEnvelope.safeParse({ ...made, ...change });
        fc.pre(parsed.success);
        const { message_source, message_type, reply_to = null } = parsed.data;
        const strict = VoxMessage.safeParse({
          message_id: base.id,
          emitted_at: base.ts,
          source: "a",
          target: "b",
          intent: "abc",
          details: {},
          message_source,
          type: message_type,
          reply_to,
        });
        const isOurs = strict.success && AEE_TYPE_OF[strict.data.type] === parsed.data.type;
        expect(toVox(parsed.data) !== undefined).toBe(isOurs);
      }),
    );
  });

  test("absent and null optional fields mean the same", () => {
    const { reply_to: _, trace: __, requires: ___, sig: ____, ...required } = base;
    const view = toVox(AeeEnvelope.parse(required));
    expect(view && toAee(view)).toEqual(base);
  });

  test("each kind of message travels as its AEE type", () => {
    expect(AEE_TYPE_OF).toEqual({
      command_request: "task",
      command_result: "result",
      command_error: "error",
      progress: "stream",
      message_acknowledged: "event",
      announcement: "event",
      heartbeat: "event",
      notice: "event",
      cancel: "event",
      alert: "event",
      system_failure: "event",
    });
  });

  test("a message in full, both ways", () => {
    const view = {
      message_id: base.id,
      emitted_at: base.ts,
      source: "agent.a",
      target: "agent.b",
      message_source: "ops",
      type: "command_request",
      intent: "web.http",
      details: { command: "http", params: { tags: ["a"] } },
      reply_to: null,
      corr: base.corr,
      priority: "normal",
      requires: null,
      trace: null,
      sig: null,
      extensions: { x_hop: 2 },
    } as const;
    expect(toAee(VoxMessage.parse(view))).toEqual({ ...base, x_hop: 2 });
    expect(toVox(AeeEnvelope.parse({ ...base, x_hop: 2 }))).toEqual(view);
  });
});

describe("the view refuses", () => {
  const view = VoxMessage.parse(toVox(AeeEnvelope.parse(base)));
  test.each([
    ["a result that answers nothing", { type: "command_result" }, "reply_to"],
    ["an error that answers nothing", { type: "command_error" }, "reply_to"],
    ["an extension that would hide a field", { extensions: { payload: {} } }, "extensions"],
    ["an extension that would hide the sender", { extensions: { message_source: "root" } }, "extensions"],
    ["an unknown kind", { type: "toString" }, "type"],
  ])("%s", (_, change, path) => {
    const parsed = VoxMessage.safeParse({ ...view, ...change });
    expect(parsed.error?.issues.map((issue) => issue.path.join("."))).toEqual([path]);
  });

  test("a field that it does not know", () => {
    expect(VoxMessage.safeParse({ ...view, payload: {} }).success).toBe(false);
  });
});
