import { DialogueState } from "../../dialogue/index.ts";
import type { Store } from "../../sdk/capability.ts";

/** What is known of a chat. What cannot be read any more (an older form) is forgotten: the person is asked anew. */
export function recall(store: Store, chat: string): DialogueState {
  return DialogueState.safeParse(store.get(keyOf(chat))).data ?? {};
}

/** Keeps what is to be known of a chat when its next words come. */
export function remember(store: Store, chat: string, state: DialogueState): void {
  store.set(keyOf(chat), state);
}

function keyOf(chat: string): string {
  return `chat/${chat}`;
}
