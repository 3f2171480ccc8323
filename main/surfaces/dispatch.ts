import type { z } from 'zod';
import { type Failure, failure, toFailure } from '../base/errors.ts';
import { explain } from '../base/explain.ts';
import { nearest } from '../base/suggest.ts';
import {
  type CommandName,
  type CommandOutput,
  commands,
  type ParsedInput,
  type Push,
} from './contract.ts';

export type Reply = { ok: true; value: unknown } | Failure;

/** The one way in: what every carrier calls. Never rejects. */
export type Dispatch = (command: string, input: unknown) => Promise<Reply>;

/** Calls the listener for each push until the returned function is called. */
export type Subscribe = (listener: (push: Push) => void) => () => void;

/** What the host does for each command of the contract; a refusal is a thrown LullError. */
export type Handlers = {
  [N in CommandName]: (input: ParsedInput<N>) => Promise<CommandOutput<N>> | CommandOutput<N>;
};

/**
 * Validates what comes in and what goes out by the contract, and turns everything thrown into a
 * failure. `onFault` hears of what should not have happened: an unforeseen error, or an answer that
 * breaks the contract.
 */
export function dispatcher(
  handlers: Handlers,
  onFault: (command: string, error: unknown) => void = () => {},
): Dispatch {
  return async (command, input) => {
    if (!isCommand(command)) return unknownCommand(command);
    const { input: takes, output: gives } = commands[command];
    try {
      const parsed = takes.safeParse(input ?? {});
      if (!parsed.success) return refuseInput(command, parsed.error);
      // The table is complete and each handler fits its own name; that they fit each other cannot be said in types.
      const handler = handlers[command] as (input: unknown) => unknown;
      const answer = gives.safeParse(await handler(parsed.data));
      if (answer.success) return { ok: true, value: answer.data };
      onFault(command, answer.error);
      const { message } = explain(answer.error.issues[0] as z.core.$ZodIssue, 'the answer');
      return failure('failed', `${command} gave an answer that breaks the contract: ${message}`);
    } catch (error) {
      const refusal = toFailure(error);
      if (refusal.code === 'failed') onFault(command, error);
      return refusal;
    }
  };
}

/** Whether a command only reads, so that nothing needs to be told or looked at afterwards. */
export function changesNothing(command: string): boolean {
  return isCommand(command) && commands[command].reads;
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

function unknownCommand(name: string): Failure {
  const near = nearest(name, Object.keys(commands));
  const shown = JSON.stringify(name.slice(0, 100));
  return failure(
    'invalid',
    `unknown command ${shown}`,
    near ? `did you mean "${near}"?` : undefined,
  );
}

function refuseInput(command: CommandName, error: z.ZodError): Failure {
  const fields = Object.keys(commands[command].input.shape);
  const { message, hint } = explain(
    error.issues[0] as z.core.$ZodIssue,
    `the input of ${command}`,
    (path) => (path.length === 0 ? fields : []),
  );
  return failure('invalid', message, hint);
}
