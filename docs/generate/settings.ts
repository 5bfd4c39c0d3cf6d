import { envExample } from "../../src/settings.ts";
import type { GeneratedDocument } from "./document.ts";

/** .env.example: every setting with its meaning and its default. */
export const settings: GeneratedDocument = {
  path: ".env.example",
  render: () => Promise.resolve(envExample()),
};
