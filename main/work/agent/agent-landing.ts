import { z } from 'zod';
import { orderBody, reportBody, textBody } from './draft-body.ts';

const head = { title: z.string().min(1) };

/** What a finished agent run may leave: a draft whose body is what its kind says. */
export const agentLanding = z.looseObject({
  draft: z.discriminatedUnion('kind', [
    z.looseObject({
      kind: z.literal('order'),
      ...head,
      body: orderBody,
      totalCents: z.int().min(0),
      currency: z.string(),
    }),
    z.looseObject({ kind: z.literal('text'), ...head, body: textBody, totalCents: z.null() }),
    z.looseObject({ kind: z.literal('report'), ...head, body: reportBody, totalCents: z.null() }),
  ]),
});
