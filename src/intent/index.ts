/** From words to a command and its parameters, offline and without side effects. */
export { createClassifier, type ClassifiedCommand, type Classifier, type Explanation } from "./classifier.ts";
export type { Found } from "./convert.ts";
export type { Entity } from "./entity.ts";
export { extractEntities } from "./extract.ts";
export { fillParameters, type Filled } from "./fill.ts";
export { type Parameter, readParameters } from "./parameters.ts";
export { parseSlash } from "./slash.ts";
export { shippedBackground } from "./shipped-background.ts";
