import { Validator } from '@seriousme/openapi-schema-validator'

/** What is wrong with an OpenAPI document by the specification's own schema; nothing when it is right. */
export async function openApiFaults(document: Record<string, unknown>): Promise<unknown[]> {
  const result = await new Validator().validate(structuredClone(document))
  return result.valid ? [] : [result.errors]
}
