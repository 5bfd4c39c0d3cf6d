import { format } from "oxfmt";
import { agentManifestSchema } from "../../src/catalog/index.ts";
import type { GeneratedDocument } from "./document.ts";

const path = "schemas/agent.schema.json";

/** The JSON Schema of agent.yml, for editors. */
export const schema: GeneratedDocument = {
  path,
  async render() {
    const { code } = await format(path, JSON.stringify(agentManifestSchema(), null, 2), { printWidth: 110 });
    return code;
  },
};
