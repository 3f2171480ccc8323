/** What keeps a lock from being asked, in the words that cycles and their logs use. */
export type FaultCategory =
  | 'relay_query_timeout'
  | 'relay_publish_quorum_failure'
  | 'websocket_connection_refused_or_dns'
  | 'malformed_relay_url_config'
  | 'unknown_backend_error';

/** One relay did not do what it was asked. */
export interface RelayFault {
  relay: string;
  kind: 'connection' | 'timeout' | 'refused' | 'dropped';
  /** One line: what it said, or what happened. */
  message: string;
  /** Might go well when it is tried again. */
  transient: boolean;
}

/** The lock cannot be asked at all: exit 2. */
export class LockFault extends Error {
  readonly category: FaultCategory;
  readonly faults: readonly RelayFault[];

  constructor(category: FaultCategory, message: string, faults: readonly RelayFault[] = []) {
    super(message);
    this.name = 'LockFault';
    this.category = category;
    this.faults = faults;
  }
}

/** The category of relays that failed while they were asked (`query`) or told (`publish`). */
export function categoryOf(
  doing: 'query' | 'publish',
  faults: readonly RelayFault[],
): FaultCategory {
  if (
    faults.length > 0 &&
    faults.every(({ kind }) => kind === 'connection' || kind === 'dropped')
  ) {
    return 'websocket_connection_refused_or_dns';
  }
  if (doing === 'publish') return 'relay_publish_quorum_failure';
  return faults.some((fault) => fault.kind === 'timeout')
    ? 'relay_query_timeout'
    : 'unknown_backend_error';
}
