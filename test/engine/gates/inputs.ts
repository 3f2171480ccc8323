import { configSchema } from '../../../main/base/config-schema.ts';
import { type Facts, factsSchema } from '../../../main/engine/gates/facts.ts';
import type { Usual } from '../../../main/engine/gates/forecast.ts';
import type { GateInput } from '../../../main/engine/gates/gate.ts';
import { admittance } from '../../../main/engine/gates/list.ts';
import type { Look } from '../../../main/engine/gates/why.ts';
import type { Job } from '../../../main/engine/queue/job.ts';
import { QUIET_NIGHT } from '../../support/fixed-facts.ts';

/** Noon of a Wednesday where the tests run, so that times of day read the same in every zone. */
export const NOON = new Date(2026, 4, 20, 12, 0, 0).getTime();

export const MINUTE = 60_000;

export const NOTHING_KNOWN: Facts = factsSchema.parse({});

/** A gate's input on a quiet night; facts are changed one by one, other parts replaced. */
export function inputWith(
  facts: Partial<Facts> = {},
  rest: Partial<Omit<GateInput, 'facts' | 'config'>> & { config?: unknown } = {},
): GateInput {
  return {
    facts: { ...QUIET_NIGHT, ...facts },
    now: NOON,
    pauses: { all: null, heavy: null },
    inFlight: null,
    awakeSeconds: null,
    override: null,
    ...rest,
    config: configSchema.parse(rest.config ?? {}),
  };
}

export function lookAt(input: GateInput, usual: Usual = { kind: 'no-history' }): Look {
  return { input, verdicts: admittance(input).verdicts, usual };
}

let lastId = 0;

/** A queued job, heavy unless said otherwise. */
export function job(change: Partial<Job> = {}): Job {
  lastId += 1;
  return {
    id: lastId,
    kind: 'task',
    tier: 'synthesis',
    numCtx: 8192,
    class: 'heavy',
    priority: 50,
    state: 'queued',
    title: `Job ${lastId}`,
    payload: null,
    source: null,
    session: null,
    subject: null,
    route: { channel: 'local', recipient: '' },
    retryOf: null,
    coalesced: 0,
    attempts: 0,
    maxAttempts: 1,
    uncleanExits: 0,
    checkpoint: null,
    waiver: null,
    result: null,
    error: null,
    reasonCode: null,
    reason: null,
    notBefore: null,
    expiresAt: null,
    reviveAt: null,
    createdAt: NOON,
    startedAt: null,
    finishedAt: null,
    claimNo: 0,
    claimedByRun: null,
    leaseExpiresAt: null,
    cancelAskedAt: null,
    ...change,
  };
}
