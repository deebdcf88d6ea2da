import { defineWords } from '../../i18n/words.ts';

export const integrationWords = defineWords({
  title: { en: 'Monitoring integration', zh: '监控集成' },
  purpose: {
    en: 'Hands figures to the systems that watch everything else.',
    zh: '将指标对接到外部监控系统。',
  },
  prometheus: { en: 'Prometheus', zh: 'Prometheus' },
  statsd: { en: 'StatsD', zh: 'StatsD' },

  pull: { en: 'Fetched by Prometheus', zh: '由 Prometheus 拉取' },
  pullText: {
    en: 'The figures are always there, at /api/v5/prometheus/stats.',
    zh: '指标始终可通过 /api/v5/prometheus/stats 获取。',
  },
  enable_basic_auth: { en: 'Only with an API key', zh: '仅限 API 密钥访问' },
  'enable_basic_auth.hint': {
    en: 'Off, everybody who reaches this address can read the figures.',
    zh: '关闭时，任何能访问该地址的人都可读取指标。',
  },
  scrape: { en: 'For prometheus.yaml', zh: 'prometheus.yaml 配置' },
  copyScrape: { en: 'Copy the configuration', zh: '复制配置' },
  downloadScrape: { en: 'Download prometheus.yaml', zh: '下载 prometheus.yaml' },
  downloadDashboard: { en: 'Download the Grafana dashboard', zh: '下载 Grafana 仪表板' },

  push: { en: 'Pushed to a gateway', zh: '推送到 Push Gateway' },
  pushText: {
    en: 'For networks into which Prometheus cannot reach. The first figures go out when it is saved.',
    zh: '适用于 Prometheus 无法访问的网络，保存后立即推送。',
  },
  'push_gateway.enable': { en: 'Enable the push gateway', zh: '启用 Push Gateway' },
  url: { en: 'URL', zh: 'URL' },
  interval: { en: 'Interval', zh: '间隔' },
  method: { en: 'Method', zh: '方法' },
  'push_gateway.method.hint': {
    en: 'PUT replaces everything of the job, POST the figures of the same names.',
    zh: 'PUT 替换该任务的全部指标，POST 仅替换同名指标。',
  },
  job_name: { en: 'Job name', zh: '任务名称' },
  headers: { en: 'Headers', zh: '请求头' },
  'push_gateway.headers.hint': {
    en: 'Stored values are not shown: six asterisks keep them.',
    zh: '已存储的值不显示，保留六个星号即不修改。',
  },
  header: { en: 'Header', zh: '请求头' },
  value: { en: 'Value', zh: '值' },

  statsdText: {
    en: 'Gauges, and what counters have grown by, in UDP packets.',
    zh: '通过 UDP 发送当前值与计数器增量。',
  },
  enable: { en: 'Enable StatsD', zh: '启用 StatsD' },
  server: { en: 'Server', zh: '服务器' },
  'server.hint': { en: 'Host and port.', zh: '主机与端口。' },
  sample_time_interval: { en: 'Sample interval', zh: '采样间隔' },
  flush_time_interval: { en: 'Flush interval', zh: '发送间隔' },
});
