/** A configuration without password hashes and keys. */
export function redactConfig(config: object): object {
  return JSON.parse(
    JSON.stringify(config, (key, value: unknown) => (key === 'password' || key === 'key' ? '***' : value)),
  ) as object
}
