/** Why an instance has the status it has, when nobody asked for it. */
export const statusReasons = [
  'balance_empty',
  'budget_reached',
  'start_failed',
  'lost',
  'ended',
  'idle',
  'term_over',
  'queued',
  'stop_failed',
  'restart_failed',
  'delete_failed',
  'crash_loop',
  'volume_lapsed',
  'suspended',
  'maintenance',
] as const
