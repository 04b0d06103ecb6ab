import { Validator } from '@seriousme/openapi-schema-validator'

/** Lists the errors of an OpenAPI document against the schema of OpenAPI 3.1; empty for a valid one. */
export async function openApiFaults(document: Record<string, unknown>): Promise<unknown[]> {
  const result = await new Validator().validate(structuredClone(document))
  return result.valid ? [] : [result.errors]
}
