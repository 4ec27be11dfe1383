#include "histories/picture.h"

#include "histories/picture_data.h"
#include "histories/picture_template.h"
#include "spec/assert.h"

namespace shardcheck::histories {

std::string picture_of(const History& history, const CheckReport& report, const PictureOptions& options) {
  std::string page(picture_template_head());
  page += PictureData(history, report, options).to_json();
  page += picture_template_tail();
  SHARDCHECK_ASSERT(page.size() <= kPictureBytesMax);
  return page;
}

}  // namespace shardcheck::histories
