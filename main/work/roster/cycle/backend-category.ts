const CATEGORIES: ReadonlySet<string> = new Set([
  'relay_query_timeout',
  'relay_publish_quorum_failure',
  'websocket_connection_refused_or_dns',
  'malformed_relay_url_config',
]);

/** Why a lock could not be asked, as it says itself on standard error (`error_category=…`). */
export function backendCategory(stderr: string): string {
  const said = [...stderr.matchAll(/error_category=([a-z0-9_]+)/gi)].at(-1)?.[1]?.toLowerCase();
  return said !== undefined && CATEGORIES.has(said) ? said : 'unknown_backend_error';
}
