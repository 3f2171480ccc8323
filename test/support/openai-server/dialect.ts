import type { ServerResponse } from 'node:http';
import type { CatalogueModel } from '../model-server/catalogue.ts';
import type { Faults } from '../model-server/faults.ts';
import { type Asked, HttpFault, json } from '../model-server/http.ts';
import type { ServerLog } from '../model-server/log.ts';
import type { Memory } from '../model-server/memory.ts';
import type { Speech } from '../model-server/speak.ts';
import type { Style } from './events.ts';

export interface State {
  faults: Faults;
  loadMs: number;
  speech: Speech;
  style: Style;
  /** The window that a load gets which names none; undefined: what the model was trained with. */
  ownWindow: number | undefined;
}

export interface Host {
  log: ServerLog;
  models: Map<string, CatalogueModel>;
  memory: Memory;
  state: State;
}

/** What one program does in its own way. */
export interface Dialect {
  /** How many models it holds before it puts one out. */
  readonly mostLoaded: number;
  /** Holds its first model from the start on. */
  readonly holdsFirst?: boolean;
  /** Answers a path of its own; false: it has no such path. */
  route(host: Host, asked: Asked): Promise<boolean>;
  /** The model that a request is answered by. Throws HttpFault. */
  modelFor(host: Host, name: unknown): CatalogueModel;
  /** Seconds a model stays that this request makes it load. */
  staySeconds?(body: Record<string, unknown>): number | undefined;
  refuse(response: ServerResponse, fault: HttpFault): void;
  unknownPath(asked: Asked): void;
}

export function requireModel({ models }: Host, name: unknown, status: number): CatalogueModel {
  const model = models.get(String(name));
  if (model) return model;
  throw new HttpFault(status, `model '${String(name)}' not found`, { type: 'not_found_error' });
}

export function listOf(entries: object[]): object {
  return { object: 'list', data: entries };
}

/** The usual error body. */
export function usualRefusal(response: ServerResponse, fault: HttpFault): void {
  const error = {
    code: fault.status,
    message: fault.message,
    type: 'invalid_request_error',
    ...fault.extra,
  };
  json(response, { error }, fault.status);
}

export function usualUnknownPath({ response }: Asked): void {
  const error = { code: 404, message: 'File Not Found', type: 'not_found_error' };
  json(response, { error }, 404);
}

/** A size on disk, or what a broken server makes of it. */
export function sizeOf(model: CatalogueModel, { numbers }: Faults): number {
  const odd = { beyond: 2 ** 63, negative: -(2 ** 63), fraction: 1.5 };
  return numbers ? odd[numbers] : model.bytes;
}
