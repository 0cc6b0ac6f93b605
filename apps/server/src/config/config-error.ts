/** What stops a start. Its message says which variable, what is wrong and what to write. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
