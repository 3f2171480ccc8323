import type { HistoryRow } from '../../main/surfaces/contract.ts';
import { count, span } from './words.ts';

/** What a job took, as its row says it: `ran 3 min, 2 loads`. */
export function tookText({ ranMs, loads }: Pick<HistoryRow, 'ranMs' | 'loads'>): string {
  return `ran ${span(ranMs)}${loads > 0 ? `, ${count(loads, 'load')}` : ''}`;
}

/** `waited 2 h 10 min: you were here (2 h)`; null where it hardly waited. */
export function waitedText(row: Pick<HistoryRow, 'waitedMs' | 'waitedBecause'>): string | null {
  if (row.waitedBecause === null) return null;
  return `waited ${span(row.waitedMs)}: ${row.waitedBecause}`;
}

/** `gave way 3 times: you came back, mains went away`; null where it never did. */
export function gaveWayText(yields: HistoryRow['yields']): string | null {
  if (yields.length === 0) return null;
  const causes = [...new Set(yields.map((one) => one.text))].join(', ');
  return `gave way ${yields.length === 1 ? 'once' : `${yields.length} times`}: ${causes}`;
}

/** How quickly one giving way was over: `stopped after 2 s, its memory was free after 9 s`. */
export function yieldText({ text, tookMs, freeMs }: HistoryRow['yields'][number]): string {
  const parts = [`Gave way because ${text}`];
  if (tookMs !== null) parts.push(`stopped after ${span(tookMs)}`);
  if (freeMs !== null) parts.push(`its memory was free after ${span(freeMs)}`);
  return `${parts.join(', ')}.`;
}
