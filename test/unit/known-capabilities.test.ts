import { expect, test } from "vitest";
import { createGateway } from "../../src/capabilities/comm-gateway/index.ts";
import { createCapabilities } from "../../src/cli/capabilities.ts";
import { KNOWN_CAPABILITIES } from "../../src/cli/known.ts";
import type { Config } from "../../src/config.ts";
import { systemClock } from "../../src/envelope/index.ts";
import { createLocalTransport } from "../../src/transport/local.ts";
import { SILENT } from "../support/silent-log.ts";

test("what reads role files without running them knows the very capabilities that a start mounts", () => {
  const made = createCapabilities({
    config: { netAllow: [] } as unknown as Config,
    clock: systemClock(),
    transport: createLocalTransport(),
    rooms: () => [],
    root() {
      throw new Error("nobody asks the root here");
    },
  });
  const { definition } = createGateway({ channels: [], log: SILENT });
  const rootOnlyById = [...made, definition].map(({ id, rootOnly }) => [id, { rootOnly }]);
  expect(Object.fromEntries(rootOnlyById)).toEqual(
    Object.fromEntries([...KNOWN_CAPABILITIES.keys()].map((id) => [id, KNOWN_CAPABILITIES.get(id)])),
  );
});
