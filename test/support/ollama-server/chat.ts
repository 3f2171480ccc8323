import type { ServerResponse } from 'node:http';
import type { Faults } from '../model-server/faults.ts';
import { HttpFault } from '../model-server/http.ts';
import { tagOf, type Voice } from '../model-server/speak.ts';
import type { Turn } from '../model-server/working-model.ts';
import { Writer } from '../model-server/writer.ts';

/** The answer to `/api/chat`: one object a line. */
export function lineVoice(model: string, faults: Faults, response: ServerResponse): Voice {
  const out = new Writer(response, faults, 'application/x-ndjson');
  const line = (value: unknown) => out.piece(`${JSON.stringify(value)}\n`);
  const head = () => ({ model, created_at: new Date().toISOString() });
  const message = (more: object) => ({ role: 'assistant', content: '', ...more });
  const say = (more: object) => line({ ...head(), message: message(more), done: false });
  let called = 0;

  function wireCalls(calls: Turn['calls']): object[] {
    return calls.map((call) => {
      const { id, index } = tagOf(called, faults);
      called += 1;
      const named = { index, name: call.name, arguments: call.arguments };
      return { ...(id !== undefined && { id }), function: named };
    });
  }

  return {
    out,
    text: (content) => say({ content }),
    thinking: (thinking) => say({ thinking }),
    calls: (calls) => say({ tool_calls: wireCalls(calls) }),
    error: (error) => line({ error }),
    oddError: (text) => line({ 'error parsing tool call': text }),
    async end({ cutOff, calls, promptTokens, spoken, loaded, total }) {
      const last = calls.length > 0 ? { tool_calls: wireCalls(calls) } : {};
      await line({
        ...head(),
        message: message(last),
        done: true,
        done_reason: cutOff ? 'length' : 'stop',
        total_duration: Number(total),
        load_duration: Number(loaded),
        prompt_eval_count: promptTokens,
        prompt_eval_duration: 1000,
        ...(spoken > 0 && { eval_count: spoken, eval_duration: 1000 }),
      });
    },
    tooLong(tokens, numCtx) {
      const message = `request (${tokens} tokens) exceeds the available context size (${numCtx} tokens), try increasing it`;
      const error = { code: 400, type: 'exceed_context_size_error', message };
      return new HttpFault(400, JSON.stringify({ error }));
    },
  };
}
