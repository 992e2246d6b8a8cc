"""What Scrapy runs for `opic bench`: all pages of the seed's domain, counted into the file `told`, and kept nowhere."""

import pathlib

import scrapy
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor


class SampleSpider(scrapy.Spider):
    name = "sample"
    allowed_domains = ["sample.test"]
    custom_settings = {"ROBOTSTXT_OBEY": True, "CONCURRENT_REQUESTS": 16, "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
                       "LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False, "RETRY_ENABLED": False}

    def __init__(self, seed: str, told: str):
        super().__init__()
        self.start_urls = [seed]
        self.told = pathlib.Path(told)
        self.links = LinkExtractor()
        self.pages = 0

    def parse(self, response, **_):
        self.pages += 1
        if isinstance(response, HtmlResponse):
            for link in self.links.extract_links(response):
                yield scrapy.Request(link.url)

    def closed(self, _reason):
        self.told.write_text(str(self.pages), encoding="utf-8")
