import type { Format } from './format.ts';
import { shopify } from './shopify.ts';
import { spreadsheet } from './spreadsheet.ts';
import { square } from './square.ts';
import { woocommerce } from './woocommerce.ts';

/** Asked in this order: the plain spreadsheet would recognise some of the others, too. */
export const FORMATS: readonly Format[] = [shopify, square, woocommerce, spreadsheet];
