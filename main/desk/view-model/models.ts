import type { Discovery } from '../../engine/models/discovery.ts';
import type { ModelsStatus } from '../../engine/models/status.ts';
import { oneLine } from './text.ts';

/**
 * Models for people. Their names are words of other programs: each is shown on one line, and what is
 * taken over is never what was shown.
 */
const NAME = 300;

export function modelsView(status: ModelsStatus): ModelsStatus {
  return {
    ...status,
    residents: status.residents.map((one) => ({ ...one, model: oneLine(one.model, NAME) })),
    loads: status.loads.map((one) => ({
      ...one,
      model: oneLine(one.model, NAME),
      detail: one.detail === null ? null : oneLine(one.detail, 400),
    })),
  };
}

export function foundView({ ramBytes, servers, proposal }: Discovery): Discovery {
  return {
    ramBytes,
    servers: servers.map((one) => ({
      ...one,
      version: one.version === null ? null : oneLine(one.version, 60),
      problem: one.problem === null ? null : oneLine(one.problem, 400),
      models: one.models.map((model) => ({ ...model, name: oneLine(model.name, NAME) })),
    })),
    proposal: {
      ...proposal,
      reasons: proposal.reasons.map((reason) => oneLine(reason, 600)),
      left: proposal.left.map(({ server, model, why }) => ({
        ...{ server, model: oneLine(model, NAME), why: oneLine(why, 600) },
      })),
    },
  };
}
