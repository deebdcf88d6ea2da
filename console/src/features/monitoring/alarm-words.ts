import { defineWords } from '../../i18n/words.ts';

export const alarmWords = defineWords({
  title: { en: 'Alarm settings', zh: '告警设置' },
  purpose: {
    en: 'When an alarm begins and ends, and where it is told.',
    zh: '设置告警的触发与解除条件，以及通知方式。',
  },
  toAlarms: { en: 'Alarms', zh: '告警列表' },
  thresholds: { en: 'Thresholds', zh: '阈值' },
  handling: { en: 'Handling', zh: '处理方式' },
  off: { en: 'disabled', zh: '禁用' },

  os: { en: 'Machine', zh: '系统' },
  osText: {
    en: 'Processors and memory. An alarm ends below the low watermark, so that it does not flutter.',
    zh: 'CPU 与内存。低于低水位时告警解除，避免反复触发。',
  },
  cpu_check_interval: { en: 'CPU check interval', zh: 'CPU 检查间隔' },
  cpu_high_watermark: { en: 'CPU high watermark', zh: 'CPU 高水位' },
  cpu_low_watermark: { en: 'CPU low watermark', zh: 'CPU 低水位' },
  mem_check_interval: { en: 'Memory check interval', zh: '内存检查间隔' },
  sysmem_high_watermark: { en: 'Memory high watermark of the machine', zh: '系统内存高水位' },
  procmem_high_watermark: { en: 'Memory high watermark of the broker', zh: 'Broker 内存高水位' },
  'os.procmem_high_watermark.hint': {
    en: 'Of the machine’s memory, taken by the broker alone.',
    zh: 'Broker 占用系统内存的百分比。',
  },

  vm: { en: 'Connections', zh: '连接' },
  vmText: {
    en: 'How many connections there are, of as many files as the broker may have open.',
    zh: '连接数占 Broker 可打开文件数上限的百分比。',
  },
  process_check_interval: { en: 'Check interval', zh: '检查间隔' },
  process_high_watermark: { en: 'High watermark', zh: '高水位' },
  process_low_watermark: { en: 'Low watermark', zh: '低水位' },

  trouble: { en: 'The broker’s own trouble', zh: 'Broker 自身异常' },
  troubleText: {
    en: 'Written to the log and published below $SYS/brokers/…/sysmon; no alarm.',
    zh: '写入日志并发布到 $SYS/brokers/…/sysmon，不产生告警。',
  },
  long_gc: { en: 'Long garbage collection', zh: '长时间垃圾回收' },
  long_schedule: { en: 'Busy with one thing for', zh: '长时间占用' },
  'vm.long_schedule.hint': {
    en: 'Everybody else waits for so long.',
    zh: '期间其他任务均需等待。',
  },
  large_heap: { en: 'Sudden growth of the heap', zh: '堆内存突增' },
  'vm.large_heap.hint': { en: 'Within a second.', zh: '一秒内的增长量。' },
  busy_port: { en: 'Clients that do not take what is sent', zh: '接收缓慢的客户端' },
  busy_dist_port: { en: 'Busy links between nodes', zh: '节点间链路繁忙' },
  'vm.busy_dist_port.hint': { en: 'Of clusters only.', zh: '仅用于集群。' },

  told: { en: 'Where alarms are told', zh: '告警通知' },
  toldText: {
    en: 'Beside this console, when an alarm begins and when it ends.',
    zh: '除控制台外，告警触发与解除时的通知方式。',
  },
  log: { en: 'Write to the log', zh: '写入日志' },
  publish: { en: 'Publish below $SYS/brokers/…/alarms', zh: '发布到 $SYS/brokers/…/alarms' },
  history: { en: 'History', zh: '历史告警' },
  historyText: { en: 'How long alarms that ended are remembered.', zh: '已解除告警的保留规则。' },
  size_limit: { en: 'Max count', zh: '最大数量' },
  alarms: { en: 'alarms', zh: '条' },
  validity_period: { en: 'Kept for', zh: '保留时间' },
});
