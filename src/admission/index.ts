export * from "./admit.ts";
