import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import {
  createJsonSchemaTransform,
  createJsonSchemaTransformObject,
  validatorCompiler,
} from 'fastify-type-provider-zod'
import { z } from 'zod'
import { shareComponents, type OpenApiDocument } from './openapi-components.ts'
import { describedSchemaOf, type ApiDescription } from './openapi.ts'
import { routerPath, type Route } from './route.ts'

/** Zod takes an IPv6 address that ends as an IPv4 one, but its pattern does not have it; the format alone says what is meant. */
const zodToJsonConfig = {
  override({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) {
    if (jsonSchema.format === 'ipv6' || jsonSchema.format === 'cidrv6') delete jsonSchema.pattern
  },
}

/** Returns the OpenAPI 3.1 document of the routes, which a server of their own describes without ever being called. */
export async function openApiOf(routes: readonly Route[], about: ApiDescription): Promise<OpenApiDocument> {
  const app = Fastify()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(() => JSON.stringify)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: about.title,
        version: about.version,
        description: about.description,
        license: { name: 'MIT', identifier: 'MIT' } as { name: string },
      },
      servers: [{ url: '/', description: 'The server that this description comes from' }],
      components: { securitySchemes: about.securitySchemes as never },
      tags: [...about.tags],
    },
    transform: createJsonSchemaTransform({ zodToJsonConfig }),
    transformObject: createJsonSchemaTransformObject({ schemaRegistry: z.globalRegistry, zodToJsonConfig }),
  })
  for (const { spec } of routes)
    app.route({
      method: spec.method,
      url: routerPath(spec),
      schema: describedSchemaOf(spec, about),
      handler: () => undefined,
    })
  await app.ready()
  const document = shareComponents(app.swagger() as unknown as OpenApiDocument)
  await app.close()
  return document
}
