import { defineRole } from "#sdk";
import { z } from "zod";
import { askerOf } from "./_parameters.ts";
import { cancelled, failed, greeting, help, introduction, NOTHING_YET, tree } from "./_texts.ts";

/** Talks to people: understands their words, hands requests down, brings the answers back. */
export default defineRole({
  requires: ["comm.gateway", "understanding", "commands"],
  on: {
    on_boot({ gateway, understanding, commands }) {
      // Ahead of the first words, which would wait for it.
      understanding.learn(commands.list());
      gateway.greet({ text: greeting({ commands: commands.list(), children: commands.children() }) });
    },

    async inbound_message(
      { gateway, understanding, commands, delegate, request, step },
      { chat, person, text },
    ) {
      const offering = { commands: commands.list(), children: commands.children() };
      // A step, and the first: words are understood once, in the order in which they came, and mean the same after a restart.
      const outcome = await step("understand", () =>
        understanding.understand({ chat, text, commands: offering.commands, zone: request.zone }),
      );
      switch (outcome.kind) {
        case "run": {
          const asked = offering.commands.find(({ name }) => name === outcome.command);
          const answer = await delegate(outcome.command, { ...outcome.params, ...askerOf(asked, person) });
          if (!("failure" in answer)) return gateway.reply(answer.reply);
          const { failure } = answer;
          return gateway.reply(failed(answer, { request: outcome.understood, effect: asked?.effect }), {
            kind: "failed",
            failure,
          });
        }
        case "ask":
          gateway.reply({ text: outcome.text, buttons: [...outcome.choices] }, { kind: "asked" });
          return;
        case "refuse":
        case "empty":
          gateway.reply({ text: outcome.text }, { kind: "refused" });
          return;
        case "closed":
          gateway.reply({ text: outcome.text });
          return;
        case "builtin":
          switch (outcome.name) {
            case "start":
              gateway.reply({ text: introduction(offering) });
              return;
            case "help":
              gateway.reply({ text: help(offering, outcome.argument) });
              return;
            case "tree":
              gateway.reply({ text: tree(offering) });
              return;
            case "cancel":
              gateway.reply({ text: cancelled(commands.cancel()) });
              return;
            case "last":
              gateway.reply(gateway.last(chat) ?? { text: NOTHING_YET });
              return;
          }
      }
    },
  },
  events: {
    /** Says something in a chat that nobody asked for just now. */
    send_message: {
      payload: z.object({ chat: z.string().min(1), text: z.string().min(1) }),
      run({ gateway }, { chat, text }) {
        gateway.send(chat, { text });
      },
    },
  },
});
