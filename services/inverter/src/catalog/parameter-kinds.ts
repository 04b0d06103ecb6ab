import type { CatalogObject } from './catalog.ts'

/**
 * Kind of a parameter. A `setting` stays as somebody set it. A `fact` is a version, a serial number or an address: it changes
 * with an update, another part or another network.
 */
export type ParameterKind = 'setting' | 'fact'

/** Settings of a group, as a pattern over the metric name without the group; a group that is not listed has none. */
const settings: Readonly<Record<string, RegExp>> = {
  acc_conv: /^i_(?:charge_|discharge_)?max$/,
  bat_mng_struct: /^(?:bat_calib_|k_trust$)/,
  buf_v_control: /_max_/,
  cs_map: /./,
  cs_neg: /./,
  db: /_afi_/,
  dc_conv: /(?:_enabled|_enable_scan|_fixed_voltage|_mpp_step|_rescan_correction|^start_voltage)$/,
  display_struct: /./,
  flash_rtc: /^(?:flag_|rtc_mcc_quartz_max)/,
  frt: /./,
  grid_lt: /./,
  grid_mon: /./,
  hw_test: /^(?:bt_power_|bt_time_|hw_switch_time$)/,
  io_board:
    /^(?!check_)(?:.*_usage|.*_polarity|.*_imp_per_kwh|.*_min_duration|alarm_home_.*|home_relay_.*|rse_table_\d+|rse_data_delay|p_rse_.*|s0_direction|load_set)$/,
  iso_struct: /^r_min$/,
  line_mon: /./,
  logger: /^log_rate$/,
  modbus: /./,
  net: /^(?:id|use_network_filter|master_timeout|slave_timeout)$/,
  nsm: /./,
  others:
    /^(?:common_control_bits|detect_phase_shift_enable|max_phase_shift|grid_offset|power_spring_\w+|phase_3_mode|inv_struct_force_dh|current_sensor_max|i_ac_max_set|i_dc_(?:max|slow_time|slow_max)|android_description)$/,
  p_rec: /^lim_/,
  power_mng:
    /^(?!battery_power$|bat_empty_full|u_acc|is_grid$|bat_next_calib_date|state$|amp_hours|power_lim_src_index|model_)./,
  prim_sm: /^(?:island_max_trials|island_reset_\w+|is_thin_layer|phase_3_mode|uzk_pump_grad_0|minigrid_flag)$/,
  switch_on_cond: /./,
  temperature: /./,
  wifi: /^(?:sockb_\w+|connect_to_\w+|authentication_method|mode|encryption_algorithm|connect_service_max_duration|service_(?:port|ip)|server_(?:port|ip)|use_ethernet|use_wifi)$/,
}

const facts =
  /(?:_version(?:_|$)|^svnversion|_software_version(?:_|$)|_sn(?:_\d)?$|^inverter_serial$|^parameter_file$|^wifi_(?:ip|mask|gateway|dns_address)$)/

/** Objects that hold a secret under whatever name a registry of the operator's own gives them. */
const secrets = /password|passphrase|secret|credential|_psk(?:_|$)/

/**
 * Kind of an object that is a parameter; undefined for everything that changes by itself, for actions, logs and structures,
 * and for secrets (docs/reference/inverter-snapshots.md).
 */
export function parameterKind(object: CatalogObject): ParameterKind | undefined {
  const { name, vendorName, group, isAction, response, structHint, type } = object
  if (isAction || response !== undefined || structHint !== undefined || type === 'struct') return undefined
  if (secrets.test(name) || secrets.test(vendorName.toLowerCase())) return undefined
  if (facts.test(name)) return 'fact'
  const rest = name.startsWith(`${group}_`) ? name.slice(group.length + 1) : name
  return settings[group]?.test(rest) === true ? 'setting' : undefined
}
