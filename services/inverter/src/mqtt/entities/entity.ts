import type { Catalog, CatalogObject } from '../../catalog/catalog.ts'
import type { Component, Components, EntityContext } from './component.ts'
import { controlsOf } from './controls.ts'
import { entityName } from './entity-names.ts'
import { quantityOf } from './quantity.ts'

/** Counters of the Energy dashboard that the default selection of the service does not have. */
export const dashboardMetrics = [
  'energy_e_dc_total_0',
  'energy_e_dc_total_1',
  'battery_stored_energy',
  'battery_used_energy',
] as const

/** Returns the entity that shows an object: a sensor, or a binary sensor for a switch of the inverter. */
export function sensorOf(object: CatalogObject, context: EntityContext): Component {
  const shared = {
    ...identityOf(object.name, context),
    name: entityName(object),
    state_topic: context.topics.state(context.deviceId, object.name),
    ...(isPrimary(object, context.catalog) ? {} : { entity_category: 'diagnostic' }),
  }
  if (object.valueType === 'boolean')
    return { platform: 'binary_sensor', ...shared, payload_on: 'true', payload_off: 'false' }
  if (object.enumLabels !== undefined)
    return { platform: 'sensor', ...shared, device_class: 'enum', options: [...new Set(object.enumLabels.values())] }
  // A structure has no single value: its members are attributes, and the state is their number.
  if (object.structHint !== undefined)
    return {
      platform: 'sensor',
      ...shared,
      json_attributes_topic: shared.state_topic,
      value_template: '{{ value_json | length }}',
    }
  return { platform: 'sensor', ...shared, ...quantityOf(object) }
}

/** Returns the entities of a metric: the sensor, and what sets it when it is approved for writing. */
export function entitiesOf(object: CatalogObject, isApproved: boolean, context: EntityContext): Components {
  const controls = isApproved ? controlsOf(object, context) : {}
  // Only a sensor has the state class that statistics need; everything else is shown by its control.
  const isShown = quantityOf(object).state_class === 'total_increasing' || Object.keys(controls).length === 0
  return isShown && !object.isAction ? { [object.name]: sensorOf(object, context), ...controls } : controls
}

/** Returns the members that make an entity the same one for ever. */
export const identityOf = (key: string, { topics, deviceId }: Pick<EntityContext, 'topics' | 'deviceId'>) => ({
  unique_id: topics.id(deviceId, key),
})

function isPrimary({ name }: CatalogObject, { roles }: Catalog): boolean {
  return [...roles.energyFlow, ...roles.preselected, ...dashboardMetrics].includes(name)
}
