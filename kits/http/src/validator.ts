import { validatorCompiler } from 'fastify-type-provider-zod'

/** Checks a part of a request by its schema. The framework hands a missing body on as null; a schema knows it as undefined. */
export const validatorOf: typeof validatorCompiler = (part) => {
  const validate = validatorCompiler(part)
  return part.httpPart === 'body' ? (body: unknown) => validate(body ?? undefined) : validate
}
