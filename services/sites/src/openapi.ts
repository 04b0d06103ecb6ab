import { describeApi } from '@hearth/http'
import { about } from './about.ts'
import { allRoutes } from './routes.ts'

/** Returns the API's OpenAPI document. */
export const openapiDocument = describeApi(allRoutes, about)
