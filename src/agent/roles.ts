import type { z } from "zod";
import type { CommandAnnouncement } from "../sdk/announcement.ts";
import type { BaseContext } from "../sdk/context.ts";

/** A role file that has been loaded, as the agent runs it: its author's types are gone, so what it gives is parsed. */
export interface AgentRole {
  readonly name: string;
  readonly file: string;
  /** Changes whenever the code does. */
  readonly hash: string;
  readonly requires: readonly string[];
  readonly announcements: readonly CommandAnnouncement[];
  readonly role: {
    readonly commands: Readonly<Record<string, AgentCommand>>;
    readonly events: Readonly<Record<string, AgentEvent>>;
    readonly on: Readonly<Record<string, (context: BaseContext, event: unknown) => unknown>>;
  };
}

export interface AgentCommand {
  readonly params?: z.ZodObject | undefined;
  readonly data?: z.ZodObject | undefined;
  run(context: BaseContext, params: Readonly<Record<string, unknown>>): unknown;
}

export interface AgentEvent {
  readonly payload: z.ZodObject;
  run(context: BaseContext, payload: Readonly<Record<string, unknown>>): unknown;
}

/** A role that cannot run, and why. */
export interface DisabledRoleNote {
  readonly role: string;
  readonly file: string;
  readonly line?: number;
  readonly code: string;
  readonly reason: string;
  readonly remedy: string;
}

/** Finds the roles that a name stands for. */
export interface Router {
  command(name: string): { readonly role: AgentRole; readonly command: AgentCommand } | undefined;
  /** Handlers of an event of a role's own making. */
  events(name: string): readonly { readonly role: AgentRole; readonly event: AgentEvent }[];
  /** Handlers of an event that the framework raises. */
  listeners(
    name: string,
  ): readonly { readonly role: AgentRole; readonly run: (context: BaseContext, event: unknown) => unknown }[];
}

export function createRouter(roles: readonly AgentRole[]): Router {
  const commands = new Map<string, { role: AgentRole; command: AgentCommand }>();
  for (const role of roles) {
    for (const [name, command] of Object.entries(role.role.commands)) commands.set(name, { role, command });
  }
  return {
    command: (name) => commands.get(name),
    events: (name) =>
      roles.flatMap((role) => {
        const event = Object.hasOwn(role.role.events, name) ? role.role.events[name] : undefined;
        return event ? [{ role, event }] : [];
      }),
    listeners: (name) =>
      roles.flatMap((role) => {
        const run = Object.hasOwn(role.role.on, name) ? role.role.on[name] : undefined;
        return run ? [{ role, run }] : [];
      }),
  };
}
