import { defineRole } from "#sdk";

/** Hands every word down to the one command below, and its answer back. */
export default defineRole({
  requires: ["comm.gateway"],
  on: {
    async inbound_message({ delegate, gateway }, { text }) {
      const answer = await delegate("echo", { text });
      gateway.reply("failure" in answer ? { text: answer.text } : answer.reply);
    },
  },
});
