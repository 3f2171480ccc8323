import { describe, expect, it } from 'vitest';
import { transcriptLines } from '../../../main/desk/view-model/transcript.ts';

describe('a transcript as it is shown', () => {
  it('A3 shows calls with their arguments, raw ones as they came', () => {
    const toolCalls = [
      { id: 'a', name: 'draft_order', arguments: { sku: 'S', quantity: 6 } },
      { id: 'b', name: 'draft_order', arguments: '{"sku": ' },
    ];
    expect(transcriptLines([{ role: 'assistant', content: 'So:', toolCalls }])).toEqual([
      {
        role: 'assistant',
        text: 'So:\n→ draft_order {"sku":"S","quantity":6}\n→ draft_order {"sku": ',
      },
    ]);
  });

  it('A3 what is no message is shown as it was stored, and breaks nothing', () => {
    expect(transcriptLines(null)).toEqual([]);
    expect(transcriptLines([{ content: 5 }, 'words', null])).toEqual([
      { role: 'unknown', text: '{"content":5}' },
      { role: 'unknown', text: '"words"' },
      { role: 'unknown', text: 'null' },
    ]);
  });

  it('A3 what is too much is counted, not sent', () => {
    const messages = Array.from({ length: 250 }, () => ({ role: 'user', content: 'x' }));
    const lines = transcriptLines(messages);
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toEqual({ role: 'note', text: '50 further messages are not shown' });
    const [long] = transcriptLines([{ role: 'tool', toolName: 't', content: 'x'.repeat(100_000) }]);
    expect(long?.role).toBe('tool t');
    expect(long?.text).toMatch(/^x{19999}…\n\(cut here: 100000 characters in all\)$/);
  });
});
