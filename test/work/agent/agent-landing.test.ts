import { expect, it } from 'vitest';
import { agentLanding } from '../../../main/work/agent/agent-landing.ts';

const steps = { count: 1, millis: 5, tools: [] };
const line = { sku: 'A', name: 'A', unit: 'units', quantity: 2, unitCostCents: 3, totalCents: 6 };
const body = { lines: [line], notes: '', provenance: 'tools', steps };
const draft = { kind: 'order', title: 'An order', body, totalCents: 6, currency: 'USD' };
const takes = (changed: object) =>
  agentLanding.safeParse({ result: 'r', draft: { ...draft, ...changed } }).success;

it('S4 A5 what a worker says of a draft is taken only in the shape of its kind', () => {
  expect(takes({})).toBe(true);
  expect(takes({ body: { ...body, lines: [] } })).toBe(false);
  expect(takes({ body: { ...body, lines: [{ ...line, quantity: '2' }] } })).toBe(false);
  expect(takes({ totalCents: 6.5 })).toBe(false);
  expect(takes({ kind: 'text' })).toBe(false);
  expect(takes({ title: '' })).toBe(false);
  expect(
    takes({ kind: 'text', body: { text: 'x', provenance: '', steps }, totalCents: null }),
  ).toBe(true);
  expect(agentLanding.safeParse({ result: 'r' }).success).toBe(false);
});
