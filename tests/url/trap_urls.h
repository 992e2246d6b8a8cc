// Two lists made for the rules of url/trap.h: URLs of the kinds that people read, and URLs out of
// traps. The present year is kTrapYear.
#pragma once

#include <array>
#include <string_view>

namespace opic::url {

inline constexpr int kTrapYear = 2026;

// Of documentation, repositories, shops, papers, archives and calendars: the deepest, the longest
// and the most repetitive that their kinds have.
inline constexpr auto kPagesPeopleRead = std::to_array<std::string_view>({
    "http://h/",
    "http://h/index.html",
    "http://h/usr/share/doc/libboost1.74-doc/examples/libs/numeric/ublas/IDEs/qtcreator/examples/"
    "tensor/simple_expressions/",
    "http://h/doc/libs/release/libs/spirit/doc/html/spirit/qi/reference/operator/"
    "and_predicate.html",
    "http://h/sites/products/documentation/hpc/compilerpro/en-us/cpp/lin/compiler_c/cref_cls/"
    "common/"
    "cppref_pragma_ovrvw.htm",
    "http://h/en/java/javase/17/docs/api/java.base/java/util/Map.Entry.html",
    "http://h/apache/lucene/tree/main/lucene/core/src/java/org/apache/lucene/analysis/standard",
    "http://h/maven2/org/apache/maven/plugins/jar/3.0/apidocs/org/apache/maven/plugins/jar/"
    "Jar.html",
    "http://h/apache/airflow/blob/main/airflow/providers/apache/hive/operators/hive.py",
    "http://h/keras/keras/keras/layers.html",
    "http://h/en/en/en/manual.html",
    "http://h/docs/docs/intro",
    "http://h/django/django/blob/main/django/django.py",
    "http://h/tiles/0/0/0.png",
    "http://h/objects/a/a/a/aab01f.html",
    "http://h/1/2/1/2/3",
    "http://h/com/example/com/example/Main.html",
    "http://h/rust/std/std/index.html",
    "http://h/wiki/Portal:Mathematics/Featured/1/2/3",
    "http://h/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s.html",
    "http://h/trac/boost/query?status=assigned&status=closed&status=new&status=reopened&"
    "component=circular_buffer&col=id&col=summary&col=status&col=owner&col=type&col=milestone&"
    "order=priority",
    "http://h/buglist.cgi?bug_status=UNCONFIRMED&bug_status=NEW&bug_status=ASSIGNED&"
    "bug_status=REOPENED&bug_status=NEEDINFO&bug_status=RESOLVED&bug_status=VERIFIED&"
    "query_format=advanced&order=changeddate%20DESC%2Cpriority%2Cbug_severity&component=mod_ssl",
    "http://h/search?q=&author=&title=&year_from=&year_to=&lang=&type=&field[]=&field[]=&field[]=&"
    "field[]=&field[]=",
    "http://h/shop?brand=a&brand=b&brand=c&brand=d&brand=e&size=s&size=m&size=l&colour=red&page=2",
    "http://h/w/load.php?debug=false&lang=en&modules=ext.gadget.Compiler%7Cext.cite&only=styles&*",
    "http://h/login?next=%2Faccount%3Fback%3D%252Fhome",
    "http://h/share?u=https%3A%2F%2Fa.test%2F%3Fx%3D100%2525",
    "http://h/filter?a=1&a=1&a=1",
    "http://h/2026/11/23/what-has-happened.html",
    "http://h/blog/2019/05/01/release-2019-05-01/2019-05-01.tar.gz",
    "http://h/archive/2004-02/msg00012.html",
    "http://h/archives/list/2028/12/",
    "http://h/calendar?month=12&year=2029",
    "http://h/events?date=20271231",
    "http://h/statistics?from=1995-01-01&to=2025-12-31",
    "http://h/changes/2020-01-01...2020-06-01",
    "http://h/newspapers/1931/07/04/page-3",
    "http://h/rfc/2119/3/",
    "http://h/html/rfc2822",
    "http://h/standards/iso-8601-1/",
    "http://h/standards/9001-01",
    "http://h/climate/scenario/2050/",
    "http://h/targets-2040-emissions",
    "http://h/item/20991231",
    "http://h/article/2031",
    "http://h/video?y=2100&m=75",
    "http://h/image?x=2048&y=2048&m=1080",
    "http://h/o/0a1b2c3d-2031-05ab-9c00-0123456789ab",
    "http://h/security/CVE-2023-44487",
    "http://h/phone/2040-5550199",
    "http://h/isbn/978-3-16-148410-0",
    "http://h/versions/v2.31.0/changes",
    "http://h//double//slash//three.html",
    "http://h/%E4%BD%A0%E5%A5%BD/%E4%BD%A0%E5%A5%BD/",
    "http://h/a%2525b",
    "http://h/topic/2045/10",
    "http://h/user/2050/12/posts",
    "http://h/parts/tps2042-10.html",
    "http://h/ieee-2030-11-guide",
    "http://h/tel/040-2101-05",
    "http://h/map?x=1024&y=2048&m=3",
    "http://h/eclipse/2045/08/12/",
    "http://h/bond?maturity=2046-05&issue=2016-05",
    "http://h/compare?from=2019-01&to=2019-12&base=2018-01&ref=2018-12",
    "http://h/reports/2020-01_2020-06_2021-01_2021-06.pdf.html",
    "http://h/tile/1/1/1/1",
    "http://h/archive/00/00/00/00/1234.html",
    "http://h/?f[]=1&f[]=1&f[]=1&f[]=1",
    "http://h/?bits=1&bits=0&bits=1&bits=1&bits=1",
});

// Each as it looks when it begins to be one.
inline constexpr auto kPagesOfTraps = std::to_array<std::string_view>({
    "http://h/a/a/a/a",
    "http://h/docs/about/about/about/about/",
    "http://h/x/css/css/css/css/style.html",
    "http://h/a/b/a/b/a/b",
    "http://h/shop/en/products/en/products/en/products/12",
    "http://h/x/news/item/2/news/item/2/news/item/2/",
    "http://h/1/2/1/2/1/2/",
    "http://h/x/////",
    "http://h/news/about/contact/news/contact/about/news/about/contact/news/jobs",
    "http://h/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/",
    "http://h/q/index.php/1/index.php/2/index.php/3/index.php/4/index.php/5/index.php/6/index.php/"
    "7/index.php/8",
    "http://h/list?sort=a&sort=a&sort=a&sort=a",
    "http://h/list?page=2&lang=en&lang=en&lang=en&lang=en",
    "http://h/list?f=1&f=2&f=3&f=4&f=5&f=6&f=7&f=8&f=9&f=10&f=11&f=12&f=13&f=14&f=15&f=16&f=17&"
    "f=18&f=19&f=20&f=21",
    "http://h/f?a1=&a2=&a3=&a4=&a5=&a6=&a7=&a8=&a9=&b1=&b2=&b3=&b4=&b5=&b6=&b7=&b8=&b9=&c1=&c2=&"
    "c3=&c4=&c5=&c6=&c7=&c8=&c9=&d1=&d2=&d3=&d4=&d5=&d6=&d7=&d8=&d9=&e1=&e2=&e3=&e4=&e5=&e6=&e7=&"
    "e8=&e9=&f1=&f2=&f3=&f4=&f5=&f6=",
    "http://h/login?next=%2Flogin%3Fnext%3D%252Flogin%253Fnext%253D%25252Flogin%25253Fnext%25253D"
    "%2525252F",
    "http://h/calendar/2030/01/",
    "http://h/calendar/2030/1/15",
    "http://h/calendar?year=2030&month=1",
    "http://h/calendar?month=7&year=2041",
    "http://h/cal.php?y=2033&m=2",
    "http://h/events/2031-05/",
    "http://h/events/month?tribe-bar-date=2035-08-01",
    "http://h/events?date=20300101",
    "http://h/?m=203012",
    "http://h/index.php?option=com_cal&startDate=203002",
    "http://h/archive/2024/01/2024/02/2024/03/2024/04/",
    "http://h/cal/2025-01-01/2025-02-01/2025-03-01/2025-04-01",
});

}  // namespace opic::url
