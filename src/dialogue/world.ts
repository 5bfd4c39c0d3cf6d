import { type Catalogue, catalogueOf } from "../i18n/index.ts";
import type { CommandMap } from "./command-map.ts";

/** Everything outside the conversation that an outcome depends on. */
export interface World {
  /** When the words were written. */
  readonly now: Date;
  /** IANA time zone of who wrote them. */
  readonly zone: string;
  /** BCP 47 tag of the language in which the bot speaks to them. */
  readonly language: string;
  readonly map: CommandMap;
}

/** The world with the bot's own words at hand. */
export interface Surroundings extends World {
  readonly texts: Catalogue;
}

export function surroundings(world: World): Surroundings {
  return { ...world, texts: catalogueOf(world.language) };
}
