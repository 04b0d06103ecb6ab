import { describeApi } from '@hearth/http'
import { about } from './about.ts'
import { allRoutes } from './routes.ts'

/** The API's document without a running service. */
export const openapiDocument = (): Promise<Record<string, unknown>> => describeApi(allRoutes, about)
