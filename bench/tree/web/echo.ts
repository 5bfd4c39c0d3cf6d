import { defineRole } from "#sdk";
import { z } from "zod";

/** Answers what it was asked. */
export default defineRole({
  commands: {
    echo: {
      description: "Say it back",
      params: z.object({ text: z.string() }),
      run: (_, { text }) => ({ text }),
    },
  },
});
