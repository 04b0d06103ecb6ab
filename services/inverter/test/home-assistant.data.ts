/**
 * Rules of Home Assistant for entities that are discovered by MQTT, written down from its public documentation: units and state
 * classes of sensors (developers.home-assistant.io, "Sensor entity"), device classes of numbers, and the members of each
 * component (home-assistant.io, "MQTT" and the pages of its components).
 */

/** Units of the device classes of sensors that have one, of those this service uses or could use. */
export const unitsOfClass: Readonly<Record<string, readonly (string | undefined)[]>> = {
  apparent_power: ['mVA', 'VA', 'kVA'],
  battery: ['%'],
  current: ['A', 'mA'],
  duration: ['d', 'h', 'min', 's', 'ms', 'µs'],
  energy: ['J', 'kJ', 'MJ', 'GJ', 'mWh', 'Wh', 'kWh', 'MWh', 'GWh', 'TWh', 'cal', 'kcal', 'Mcal', 'Gcal'],
  energy_storage: ['J', 'kJ', 'MJ', 'GJ', 'mWh', 'Wh', 'kWh', 'MWh', 'GWh', 'TWh', 'cal', 'kcal', 'Mcal', 'Gcal'],
  enum: [undefined],
  frequency: ['mHz', 'Hz', 'kHz', 'MHz', 'GHz'],
  power: ['mW', 'W', 'kW', 'MW', 'GW', 'TW', 'BTU/h'],
  power_factor: ['%', undefined],
  reactive_power: ['mvar', 'var', 'kvar'],
  temperature: ['°C', '°F', 'K'],
  timestamp: [undefined],
  voltage: ['V', 'mV', 'µV', 'kV', 'MV'],
}

/** State classes that go with a device class; the ones that are not listed go with `measurement` alone. */
export const stateClassesOf: Readonly<Record<string, readonly (string | undefined)[]>> = {
  duration: ['measurement', 'total', 'total_increasing', undefined],
  energy: ['total', 'total_increasing', undefined],
  enum: [undefined],
  timestamp: [undefined],
}

/** State classes of a sensor without a device class. */
export const anyStateClass = ['measurement', 'total', 'total_increasing', undefined]

/** Device classes of sensors that numbers do not have. */
export const sensorOnly = ['enum', 'timestamp', 'date']

const entity = [
  'platform',
  'unique_id',
  'name',
  'entity_category',
  'icon',
  'device_class',
  'json_attributes_topic',
  'json_attributes_template',
  'enabled_by_default',
  'default_entity_id',
]

/** Members that each component takes, beside those that every component has. */
export const membersOf: Readonly<Record<string, readonly string[]>> = {
  sensor: [
    ...entity,
    'state_topic',
    'value_template',
    'unit_of_measurement',
    'state_class',
    'suggested_display_precision',
    'options',
    'expire_after',
    'force_update',
  ],
  binary_sensor: [...entity, 'state_topic', 'value_template', 'payload_on', 'payload_off', 'off_delay', 'expire_after'],
  switch: [...entity, 'state_topic', 'command_topic', 'payload_on', 'payload_off', 'state_on', 'state_off'],
  select: [...entity, 'state_topic', 'command_topic', 'options', 'value_template', 'command_template'],
  number: [...entity, 'state_topic', 'command_topic', 'min', 'max', 'step', 'mode', 'unit_of_measurement'],
  button: [...entity, 'command_topic', 'payload_press', 'command_template'],
  text: [...entity, 'state_topic', 'command_topic', 'min', 'max', 'mode', 'pattern'],
}

/** Members that each component must have. */
export const requiredOf: Readonly<Record<string, readonly string[]>> = {
  sensor: ['state_topic'],
  binary_sensor: ['state_topic'],
  switch: ['command_topic'],
  select: ['command_topic', 'options'],
  number: ['command_topic'],
  button: ['command_topic'],
  text: ['command_topic'],
}

/** Entity categories of a component: what only shows something is no setting. */
export const categoriesOf = (platform: string): readonly (string | undefined)[] =>
  platform === 'sensor' || platform === 'binary_sensor'
    ? [undefined, 'diagnostic']
    : [undefined, 'config', 'diagnostic']

/** Longest state and longest list of attributes that are taken, characters. */
export const maxState = 255
